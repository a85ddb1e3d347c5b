// Asks for the password again above the page when its session has ended: what was typed below stays.
import { Button, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { LoginDocument } from '../../../generated/screens/session/graphql.ts';
import { ApiError } from '../api/apiError.ts';
import { post } from '../api/post.ts';
import { ErrorState } from '../parts/states.tsx';
import { lastUser } from './lastUser.ts';
import { useSession } from './SessionProvider.tsx';

export function LoginAgain() {
  const session = useSession();
  const [input, setInput] = useState({ email: lastUser.email ?? '', password: '' });
  const [error, setError] = useState<ApiError | null>(null);
  const login = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setError(null);
    try {
      const { login: payload } = await post(LoginDocument, { input });
      session.begin(payload);
      // Another user must not go on with what this one typed and saw.
      if (lastUser.id !== null && payload.user.id !== lastUser.id) location.assign('/admin/');
    } catch (problem) {
      setError(problem as ApiError);
    }
  };
  return (
    <Modal opened onClose={() => session.end()} title="Log in again" closeOnClickOutside={false}>
      <form onSubmit={(event) => void login(event)}>
        <Stack gap="sm">
          <Text size="sm">Your login has ended. Nothing on this page is lost.</Text>
          <TextInput
            label="E-mail address"
            type="email"
            autoComplete="username"
            value={input.email}
            onChange={({ target }) => setInput({ ...input, email: target.value })}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            data-autofocus
            value={input.password}
            onChange={({ target }) => setInput({ ...input, password: target.value })}
          />
          {error && <ErrorState error={error} />}
          <Button type="submit">Log in</Button>
        </Stack>
      </form>
    </Modal>
  );
}
