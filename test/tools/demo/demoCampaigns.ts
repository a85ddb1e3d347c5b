// The campaigns of a run. Each uses other kinds of triggers, targeting, caps and actions.
import type { CampaignEditInput, CampaignState } from '../../../generated/graphql.ts';

export interface DemoCampaign {
  input: CampaignEditInput & { name: string };
  /** The campaign's state at the start of the run. */
  state: CampaignState;
}

const day = 86_400_000;

/** The campaign that is paused in mid-run. Every `AppOpened` shows it, and no other campaign has this trigger. */
export const pausedCampaign = {
  input: {
    name: 'Every opening',
    priority: 1_000,
    trigger: { event: 'AppOpened', type: 'CUSTOM' },
    action: { type: 'message', payload: { text: 'Welcome back' }, blocking: false },
  },
  state: 'ACTIVE',
} satisfies DemoCampaign;

export function demoCampaigns(startedAt: Date): DemoCampaign[] {
  return [...campaignsOfSystemEvents, ...campaignsOfCustomEvents, ...scheduledCampaigns(startedAt)];
}

const campaignsOfSystemEvents: DemoCampaign[] = [
  {
    input: {
      name: 'First launch',
      priority: 900,
      trigger: { event: 'SessionStarted', type: 'SYSTEM', filters: [{ param: 'type', op: 'EQ', value: 'cold' }] },
      frequency: { total: 1 },
      action: { type: 'message', payload: { text: 'Welcome' } },
    },
    state: 'ACTIVE',
  },
  {
    input: {
      name: 'Plan changed',
      description: 'A property has triggered it, so no code of the app waits for the outcome: the action is skipped.',
      priority: 500,
      trigger: { event: 'CustomPropertyChanged', type: 'SYSTEM', filters: [{ param: 'key', op: 'EQ', value: 'plan' }] },
      targeting: {
        userProperties: [[{ name: 'plan', op: 'IN', value: ['free', 'pro'] }], [{ name: 'level', op: 'NOT_EXISTS' }]],
      },
      frequency: { perDay: 2, cooldownSeconds: 300 },
      action: { type: 'paywall', payload: { template: 'plans' }, blocking: true },
    },
    state: 'ACTIVE',
  },
];

const campaignsOfCustomEvents: DemoCampaign[] = [
  {
    input: {
      name: 'Cart offer',
      priority: 800,
      trigger: {
        event: 'ProductAdded',
        type: 'CUSTOM',
        filters: [
          { param: 'price', op: 'GTE', value: 20 },
          { param: 'sku', op: 'NOT_IN', value: ['sku-100', 'sku-101'] },
        ],
      },
      targeting: { platforms: ['iOS'] },
      frequency: { perSession: 1 },
      action: { type: 'paywall', payload: { discountPercent: 20 }, blocking: true, deadlineSeconds: 30 },
    },
    state: 'ACTIVE',
  },
  {
    input: {
      name: 'Survey',
      description: 'Older versions of the app cannot show it.',
      priority: 700,
      trigger: { event: 'LevelCompleted', type: 'CUSTOM', filters: [{ param: 'level', op: 'GT', value: 10 }] },
      targeting: {
        userProperties: [[{ name: 'newsletter', op: 'NEQ', value: true }], [{ name: 'plan', op: 'EXISTS' }]],
      },
      frequency: { perDay: 3, total: 6 },
      action: { type: 'survey', payload: { questions: 3 }, blocking: true, deadlineSeconds: 15 },
    },
    state: 'ACTIVE',
  },
  {
    input: {
      name: 'Guided tour',
      description: 'No version of the app can show it.',
      priority: 600,
      trigger: { event: 'ScreenViewed', type: 'CUSTOM', filters: [{ param: 'screen', op: 'CONTAINS', value: 'ear' }] },
      targeting: { countries: ['DE', 'FR', 'JP'] },
      frequency: { total: 2 },
      action: { type: 'guided_tour', payload: ['search', 'cart'], blocking: true },
    },
    state: 'ACTIVE',
  },
  {
    input: {
      name: 'Tooltip',
      priority: 300,
      trigger: { event: 'ScreenViewed', type: 'CUSTOM', filters: [{ param: 'depth', op: 'LTE', value: 4 }] },
      targeting: { appVersion: { min: 2_014_000 }, osVersion: { max: 18_000_999 } },
      frequency: { cooldownSeconds: 600 },
      action: { type: 'tooltip' },
    },
    state: 'ACTIVE',
  },
];

/** Devices hold both from their first fetch on, and apply the schedules themselves. */
function scheduledCampaigns(startedAt: Date): DemoCampaign[] {
  const daysFromNow = (days: number): Date => new Date(startedAt.getTime() + days * day);
  const trigger: CampaignEditInput['trigger'] = {
    event: 'EventTriggered',
    type: 'SYSTEM',
    filters: [{ param: 'sourceEvent', op: 'EQ', value: 'AppOpened' }],
  };
  const action = { type: 'message', payload: { text: 'Sale' } };
  return [
    {
      input: { name: 'Last day only', priority: 400, trigger, action, schedule: { startAt: daysFromNow(-1) } },
      state: 'SCHEDULED',
    },
    {
      input: { name: 'Next week', priority: 950, trigger, action, schedule: { startAt: daysFromNow(7) } },
      state: 'SCHEDULED',
    },
  ];
}
