// The token of a mailed link: read once and taken out of the address bar, so that it is in no history and no report.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

export function useMailedToken(): string {
  const { token } = useSearch({ strict: false });
  const [kept] = useState(token ?? '');
  const navigate = useNavigate();
  useEffect(() => {
    if (token !== undefined) void navigate({ to: '.', search: {}, replace: true });
  }, [token, navigate]);
  return kept;
}
