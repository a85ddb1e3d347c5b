// The one way to edit: fields checked by a zod schema, sent to the service, and its refusals shown at the fields.
import { schemaResolver, useForm, type UseFormReturnType } from '@mantine/form';
import type { TypedDocumentNode } from '@urql/core';
import { useState } from 'react';
import { useMutation, type AnyVariables } from 'urql';
import type { z } from 'zod';
import { apiErrorOf, type ApiError, type Code } from '../../api/apiError.ts';

interface Options<Values extends Record<string, unknown>, Data, Variables extends AnyVariables> {
  initial: Values;
  schema: z.ZodType<Values>;
  document: TypedDocumentNode<Data, Variables>;
  variables: (values: Values) => Variables;
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
  const { initial, schema, document, variables, done, codes = {} } = options;
  const form = useForm<Values>({ initialValues: initial, validate: schemaResolver(schema, { sync: true }) });
  const [error, setError] = useState<ApiError | null>(null);
  const [{ fetching }, send] = useMutation(document);
  const submit = form.onSubmit(async (values) => {
    setError(null);
    const result = await send(variables(values));
    const problem = apiErrorOf(result.error);
    const own = problem && codes[problem.code];
    if (own) form.setFieldError(own.field, own.message);
    else if (problem) setError(atFields(form, problem));
    else done(result.data as Data, values);
  });
  return { form, submit: (event) => void submit(event), sending: fetching, error };
}

/** Null when every problem has found its field. */
function atFields<Values extends Record<string, unknown>>(
  form: UseFormReturnType<Values>,
  error: ApiError,
): ApiError | null {
  const names = Object.keys(form.getValues());
  const found = error.fields.map(({ path, message }) => ({ name: fieldOf(path), message }));
  for (const { name, message } of found) {
    if (names.includes(name.split('.')[0]!)) form.setFieldError(name, message);
  }
  const shown = found.length > 0 && found.every(({ name }) => names.includes(name.split('.')[0]!));
  return shown ? null : error;
}

const fieldOf = (path: string): string => path.replace(/^input\.?/, '');
