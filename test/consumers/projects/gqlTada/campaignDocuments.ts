// A dashboard's documents about campaigns, as documents.ts.
import { graphql } from './graphql.ts';

const CampaignRowFragment = graphql(`
  fragment CampaignRow on Campaign {
    id
    name
    state
    version
    allowedTransitions
  }
`);

export const EditCampaignDocument = graphql(
  `
    mutation EditCampaign($input: CampaignEditInput!) {
      campaignEdit(input: $input) {
        ...CampaignRow
        priority
      }
    }
  `,
  [CampaignRowFragment],
);

export const ChangeCampaignStateDocument = graphql(
  `
    mutation ChangeCampaignState($id: UUID!, $state: CampaignState!, $expectedVersion: Int) {
      campaignChangeState(id: $id, state: $state, expectedVersion: $expectedVersion) {
        ...CampaignRow
      }
    }
  `,
  [CampaignRowFragment],
);

export const CampaignWithStatsDocument = graphql(
  `
    query CampaignWithStats($id: UUID!) {
      campaign(id: $id) {
        ...CampaignRow
        stats {
          shown
          resolved {
            completed
            dismissed
            unavailable
            skippedNoPresenter
            skippedNoContinuation
          }
          unavailableReasons {
            timedOut
            presenterFailed
            presenterReported
          }
        }
      }
    }
  `,
  [CampaignRowFragment],
);

export const CampaignHistoryDocument = graphql(
  `
    query CampaignHistory($id: UUID!, $before: DateTime) {
      campaign(id: $id) {
        ...CampaignRow
        history(limit: 20, before: $before) {
          version
          at
          by
          action
          fromState
          toState
          changes {
            field
            before
            after
            valuesKept
          }
        }
      }
    }
  `,
  [CampaignRowFragment],
);

export const CampaignsDocument = graphql(
  `
    query Campaigns($applicationId: UUID, $state: CampaignState) {
      campaigns(applicationId: $applicationId, state: $state) {
        ...CampaignRow
      }
    }
  `,
  [CampaignRowFragment],
);
