// Reads the secret of one key when it is asked for. The audit log records each reading.
import { useState } from 'react';
import { useMutation } from 'urql';
import { KeySecretDocument } from '../../../generated/screens/parts/graphql.ts';
import { apiErrorOf, type ApiError } from '../api/apiError.ts';

interface Secret {
  /** Gives null where the service refuses. */
  read: (publicKey: string) => Promise<string | null>;
  reading: boolean;
  error: ApiError | null;
}

export function useKeySecret(): Secret {
  const [{ fetching }, send] = useMutation(KeySecretDocument);
  const [error, setError] = useState<ApiError | null>(null);
  const read = async (publicKey: string): Promise<string | null> => {
    const result = await send({ public: publicKey });
    setError(apiErrorOf(result.error));
    return result.data?.apiKeyEdit.secret ?? null;
  };
  return { read, reading: fetching, error };
}
