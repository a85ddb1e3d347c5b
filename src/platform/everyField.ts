// A type by which the compiler finds what reads an input, when a field is added to a contract.

/** `Input`; does not compile where `Named` lacks one of its fields, as `Record<'id' | 'name', true>` lacks `image`. */
export type EveryField<Input, Named extends Record<keyof Input, true>> = Pick<Input, keyof Named & keyof Input>;
