// A client that edits campaigns over HTTP, and reads the responses and the refusals.
import type { AdminResponse } from './adminClient.ts';
import type { TestService } from './testService.ts';
import { newUser, organizationOf, type TestUser } from './testUsers.ts';

type Fields = Record<string, unknown>;
export type EditedCampaign = Fields & { id: string; version: number };

export interface CampaignEditor {
  user: TestUser;
  edit(input: Fields, user?: TestUser): Promise<AdminResponse>;
  /** Throws when the service refuses the edit. */
  edited(input: Fields): Promise<EditedCampaign>;
  create(fields?: Fields): Promise<EditedCampaign>;
  /** The error's code and its other extensions; `fields` becomes the list of paths. */
  refusal(input: Fields, user?: TestUser): Promise<Fields>;
  move(id: string, state: string): Promise<AdminResponse>;
}

const shown = `id application { id } name description state version priority
  trigger { event type filters { param op value } }
  targeting { platforms appVersion { min max } countries userProperties { name op value } }
  frequency { perSession perDay total cooldownSeconds } schedule { startAt endAt }
  action { type payload blocking deadlineSeconds } createdAt updatedAt allowedTransitions`;

export async function newCampaignEditor(service: TestService): Promise<CampaignEditor> {
  const editor = await newUser(service, await organizationOf(service, service.application.id), 'editor');
  const edit: CampaignEditor['edit'] = (input, user = editor) =>
    user.ask(`mutation E($input: CampaignEditInput!) { campaignEdit(input: $input) { ${shown} } }`, { input });
  const edited: CampaignEditor['edited'] = async (input) => {
    const { data, text } = await edit(input);
    if (!data) throw new Error(text);
    return data['campaignEdit'] as EditedCampaign;
  };
  return {
    user: editor,
    edit,
    edited,
    create: (fields) => edited({ applicationId: service.application.id, name: 'A', ...fields }),
    async refusal(input, user) {
      const { fields, ...rest } = (await edit(input, user)).errors[0]!.extensions;
      return fields === undefined ? rest : { ...rest, paths: (fields as { path: string }[]).map(({ path }) => path) };
    },
    move: (id, state) => editor.ask(`mutation { campaignChangeState(id: "${id}", state: ${state}) { state } }`),
  };
}

/** An input of campaignEdit with every field set, in the form in which the response returns it. */
export const whole = {
  name: 'Whole',
  description: ' Notes\n',
  priority: 7,
  trigger: { event: 'Bought', type: 'CUSTOM', filters: [{ param: 'price', op: 'IN', value: [0.1, 'x', true] }] },
  targeting: {
    platforms: ['iOS'],
    appVersion: { min: 2 ** 53 - 1, max: null },
    countries: ['DE'],
    userProperties: [[{ name: 'vip', op: 'EQ', value: -0.5 }]],
  },
  frequency: { perSession: 1, perDay: 2, total: 3, cooldownSeconds: 4 },
  schedule: { startAt: '0001-01-01T00:00:00.123Z', endAt: '9999-12-31T23:59:59.999Z' },
  action: { type: 'open', payload: { b: [1, null, { '': 'é' }], a: '\u{1f680}' }, blocking: true, deadlineSeconds: 9 },
};
