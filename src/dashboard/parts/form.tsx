// Forms: checked by a schema, sent as a mutation, with the errors of the service at their fields.
import { Button, Group, Stack } from '@mantine/core';
import { schemaResolver, useForm, type UseFormReturnType } from '@mantine/form';
import type { TypedDocumentNode } from '@urql/core';
import { useState, type ReactNode } from 'react';
import { useMutation, type AnyVariables } from 'urql';
import { z } from 'zod';
import { ApiError, apiErrorOf, type Code, type FieldProblem } from '../api/apiError.ts';
import { ErrorState } from './states.tsx';

export interface Action<Data, Variables> {
  /** Null where the service refused it. */
  run: (variables: Variables) => Promise<Data | null>;
  sending: boolean;
  error: ApiError | null;
  clear: () => void;
}

/** A change without a form, such as a removal: sends it, and keeps what went wrong until the next try. */
export function useAction<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
): Action<Data, Variables> {
  const [{ fetching }, send] = useMutation(document);
  const [error, setError] = useState<ApiError | null>(null);
  const run = async (variables: Variables): Promise<Data | null> => {
    setError(null);
    const result = await send(variables);
    const problem = apiErrorOf(result.error);
    setError(problem);
    return problem ? null : (result.data as Data);
  };
  return { run, sending: fetching, error, clear: () => setError(null) };
}

// The one way to edit: fields checked by a zod schema, sent to the service, and its refusals shown at the fields.

interface Options<Values extends Record<string, unknown>, Data, Variables extends AnyVariables> {
  initial: Values;
  schema: z.ZodType<Values>;
  document: TypedDocumentNode<Data, Variables>;
  /** May send something else first, and throws an `ApiError` where that fails. */
  variables: (values: Values) => Variables | Promise<Variables>;
  /** Types whose queries are read again, where the response does not have objects of them: of an empty list, say. */
  changes?: string[];
  done: (data: Data, values: Values) => void;
  /** Refusals that belong to one field although the service names none, by their code. */
  codes?: Partial<Record<Code, { field: keyof Values & string; message: string }>>;
}

export interface ApiForm<Values extends Record<string, unknown>> {
  form: UseFormReturnType<Values>;
  submit: (event?: React.FormEvent<HTMLFormElement>) => void;
  sending: boolean;
  /** What belongs to no field. */
  error: ApiError | null;
}

/** A field of the service, `input.email`, is the form's field `email`; problems of no shown field go to `error`. */
export function useApiForm<Values extends Record<string, unknown>, Data, Variables extends AnyVariables>(
  options: Options<Values, Data, Variables>,
): ApiForm<Values> {
  const { initial, schema, document, variables, changes = [], done, codes = {} } = options;
  const form = useForm<Values>({ initialValues: initial, validate: schemaResolver(schema, { sync: true }) });
  const [error, setError] = useState<ApiError | null>(null);
  const [sending, setSending] = useState(false);
  const [, send] = useMutation(document);
  const submit = form.onSubmit(async (values) => {
    setError(null);
    setSending(true);
    try {
      const result = await send(await variables(values), { additionalTypenames: changes });
      const problem = apiErrorOf(result.error);
      if (problem) throw problem;
      done(result.data as Data, values);
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
      const own = codes[problem.code];
      if (own) form.setFieldError(own.field, own.message);
      else setError(atFields(form, problem));
    } finally {
      setSending(false);
    }
  });
  const submitAndShow = (event?: React.FormEvent<HTMLFormElement>): void => {
    const element = event?.currentTarget;
    void submit(event);
    // Once the problems of the fields are drawn, the first of them has the focus.
    setTimeout(() => element?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  return { form, submit: submitAndShow, sending, error };
}

/** Null when every problem has found its field. */
function atFields<Values extends Record<string, unknown>>(
  form: UseFormReturnType<Values>,
  error: ApiError,
): ApiError | null {
  const values = form.getValues();
  const found = error.fields.map((problem) => fieldProblem(problem, values));
  const shown = found.filter(({ first }) => first in values);
  for (const { name, message } of shown) form.setFieldError(name, message);
  return found.length > 0 && shown.length === found.length ? null : error;
}

/** `input.targeting.countries[0]` is the form's field `targeting.countries.0`; a list of texts has one field for all. */
function fieldProblem({ path, message }: FieldProblem, values: Record<string, unknown>) {
  const name = path.replace(/^input\.?/, '').replace(/\[(\d+)\]/g, '.$1');
  const [first = '', at] = name.split('.');
  const list = values[first];
  if (at === undefined || !Array.isArray(list) || typeof list[0] === 'object') return { name, first, message };
  return { name: first, first, message: `Entry ${Number(at) + 1} ${message}` };
}

interface FormFootProps {
  error: ApiError | null;
  sending: boolean;
  label: string;
  children?: ReactNode;
}

/** The end of every form: what went wrong as a whole, and the button that sends. */
export function FormFoot({ error, sending, label, children }: FormFootProps) {
  return (
    <Stack gap="sm">
      {error && <ErrorState error={error} />}
      <Group>
        <Button type="submit" loading={sending}>
          {label}
        </Button>
        {children}
      </Group>
    </Stack>
  );
}

interface FormProps extends Omit<FormFootProps, 'children'> {
  submit: ApiForm<Record<string, unknown>>['submit'];
  children: ReactNode;
}

/** The fields of an `ApiForm` with its end. */
export function Form({ submit, children, ...foot }: FormProps) {
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        {children}
        <FormFoot {...foot} />
      </Stack>
    </form>
  );
}

/** What the page checks of a new password before the service does (schema.graphql, "Passwords"). */
export const newPasswords = z.object({
  newPassword: z.string().min(8, 'A password has at least 8 characters.').max(256),
  newPasswordRepeat: z.string(),
});

/** For `refine`. */
export const passwordsDiffer: [
  (values: { newPassword: string; newPasswordRepeat: string }) => boolean,
  { path: string[]; message: string },
] = [
  ({ newPassword, newPasswordRepeat }) => newPassword === newPasswordRepeat,
  { path: ['newPasswordRepeat'], message: 'The passwords differ.' },
];
