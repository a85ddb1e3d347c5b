// `INVALID_CREDENTIALS` of somebody who is logged in: the own password is wrong.

export const wrongPassword = <Field extends string>(field: Field) => ({
  field,
  message: 'This is not your password.',
});
