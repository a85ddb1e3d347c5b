// A link in a text or a table to a screen, with typed search parameters.
import { Anchor, type AnchorProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';

interface PlainProps extends AnchorProps, Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps> {
  ref?: Ref<HTMLAnchorElement>;
}

const Plain = (props: PlainProps) => <Anchor size="sm" {...props} />;

/** Ids have up to 256 characters, and two of them stand beside each other. */
export const cutId = { display: 'block', maw: 'min(17rem, 60vw)' } as const;

export const TextLink = createLink(Plain);
