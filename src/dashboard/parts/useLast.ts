// The last value that was there: a drawer that closes does not become empty before it is gone.
import { useState } from 'react';

export function useLast<Value>(value: Value | null): Value | null {
  const [last, setLast] = useState(value);
  if (value !== null && value !== last) setLast(value);
  return value ?? last;
}
