// The mutations for an app's own server, as the coverage test of the audit log makes them.
import { randomUUID } from 'node:crypto';
import type { MutationResolvers } from '../../generated/graphql.ts';
import type { Case, Stage } from './membershipCases.ts';
import { newServiceToken } from './serviceTokens.ts';
import type { TestService } from './testService.ts';
import { storeWebhook } from './webhooks.ts';

export const serverCases = (service: () => TestService) =>
  ({
    webhookEdit({ application: { id } }) {
      const to = (url: string) => `webhookEdit(input: { applicationId: "${id}", url: "${url}" }) { secret }`;
      return { field: to('https://shop.example.com/'), idle: to('ftp://shop.example.com/') };
    },
    async webhookDelete({ application }) {
      const field = `webhookDelete(id: "${(await storeWebhook(service(), application.id)).webhook}")`;
      return { field, idle: field };
    },
    async webhookRedeliver({ application }) {
      const field = (id: string) => `webhookRedeliver(deliveryId: "${id}") { state }`;
      return { field: field((await storeWebhook(service(), application.id)).delivery), idle: field(randomUUID()) };
    },
    serviceTokenCreate() {
      const field = (role: string) => `serviceTokenCreate(input: { name: "Server", role: "${role}" }) { token }`;
      return { field: field('viewer'), idle: field('owner') };
    },
    async serviceTokenRevoke({ owner }) {
      const field = `serviceTokenRevoke(id: "${(await newServiceToken(owner)).id}")`;
      return { field, idle: field };
    },
  }) satisfies Partial<Record<keyof MutationResolvers, (stage: Stage) => Case | Promise<Case>>>;
