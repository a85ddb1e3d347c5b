// A type that makes the compiler name the reader of an input when the contract gets a new field.

/** `Input` itself. It does not compile when `Named` lacks a field of `Input`, as `Record<'id' | 'name', true>` lacks `image`. */
export type EveryField<Input, Named extends Record<keyof Input, true>> = Pick<Input, keyof Named & keyof Input>;
