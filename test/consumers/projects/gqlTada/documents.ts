// A dashboard's documents, written beside the code that uses them and typed without a build step.
import { graphql } from './graphql.ts';

export const SignupDocument = graphql(`
  mutation Signup($input: RegistrationUserInput!) {
    signup(input: $input) {
      token
      refreshToken
      user {
        email
        role
        status
      }
      organization {
        id
        name
      }
    }
  }
`);

export const ConfirmEmailDocument = graphql('mutation ConfirmEmail($token: String!) { emailConfirm(token: $token) }');

export const LoginDocument = graphql(`
  mutation Login($input: LoginInput!) {
    login(input: $input) {
      token
      refreshToken
      user {
        email
        role
      }
    }
  }
`);

export const RefreshTokenDocument = graphql(`
  mutation RefreshToken($token: String!) {
    refreshToken(token: $token) {
      token
      refreshToken
    }
  }
`);

export const ResetPasswordDocument = graphql(`
  mutation ResetPassword($input: ResetPasswordInput!) {
    resetPassword(input: $input)
  }
`);

export const UpdatePasswordDocument = graphql(`
  mutation UpdatePassword($input: UpdatePasswordInput!) {
    updatePassword(input: $input)
  }
`);

export const InviteUserDocument = graphql(`
  mutation InviteUser($input: UserInviteInput!) {
    userInvite(input: $input) {
      email
      role
      status
    }
  }
`);

export const MeDocument = graphql(`
  query Me {
    me {
      email
      name
      role
      status
    }
  }
`);

export const LogoutDocument = graphql(`
  mutation Logout {
    logout
  }
`);

export const AuditLogDocument = graphql(`
  query AuditLog {
    auditLog {
      at
      actor
      action
      objectType
      objectId
      details
    }
  }
`);

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

export const EditProjectDocument = graphql(`
  mutation EditProject($input: ProjectEditInput!) {
    projectEdit(input: $input) {
      id
      name
    }
  }
`);

export const EditApplicationDocument = graphql(`
  mutation EditApplication($input: ApplicationEditInput!) {
    applicationEdit(input: $input) {
      id
      name
      platform
      apiKeys {
        public
      }
    }
  }
`);

export const CreateApiKeyDocument = graphql(`
  mutation CreateApiKey($applicationId: UUID!) {
    apiKeyCreate(applicationId: $applicationId) {
      public
      secret
    }
  }
`);

export const RevokeApiKeyDocument = graphql(`
  mutation RevokeApiKey($public: String!) {
    apiKeyRevoke(public: $public)
  }
`);

export const DeleteApplicationDocument = graphql(`
  mutation DeleteApplication($id: UUID!) {
    applicationDelete(id: $id)
  }
`);

export const WorkspaceDocument = graphql(`
  query Workspace {
    organization {
      name
      projectsCount
      users {
        email
        status
      }
      projects {
        name
        applications {
          name
          apiKeys {
            public
            lastUsed
          }
        }
      }
    }
  }
`);

export const DeviceSessionsDocument = graphql(`
  query DeviceSessions($applicationId: UUID!, $id: String!) {
    device(applicationId: $applicationId, id: $id) {
      id
      sessionsCount
      sessions {
        id
        events {
          name
          type
          timestamp
          params
        }
      }
    }
  }
`);
