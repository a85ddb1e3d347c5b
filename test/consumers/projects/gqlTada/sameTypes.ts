// Fails the compiler if gql.tada and codegen's client preset read the schema or a document differently.
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
import type * as preset from '../shared/clientPreset.ts';
import * as documents from './documents.ts';

type Preset = typeof preset;
type Typed<Document> =
  Document extends DocumentTypeDecoration<infer Data, infer Variables>
    ? DocumentTypeDecoration<Data, Variables>
    : never;

documents satisfies { [Name in Extract<keyof Preset, `${string}Document`>]: Typed<Preset[Name]> };
