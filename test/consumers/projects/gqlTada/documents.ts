// A dashboard's documents, written beside the code that uses them and typed without a build step.
import { graphql } from './graphql.ts';

export * from './campaignDocuments.ts';
export * from './serverDocuments.ts';
export * from './analyticsDocuments.ts';
export * from './listDocuments.ts';

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
