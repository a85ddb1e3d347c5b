// The rules for schema.graphql, which `npm run contract:lint` runs.
import graphql from '@graphql-eslint/eslint-plugin';

export default [
  {
    // schema.graphql: all rules for schemas, except those that contradict names or types that the requirement gives.
    files: ['schema.graphql'],
    languageOptions: {
      parser: graphql.parser,
      parserOptions: { graphQLConfig: { schema: './schema.graphql' } },
    },
    plugins: { '@graphql-eslint': graphql },
    rules: {
      ...graphql.configs['flat/schema-all'].rules,
      '@graphql-eslint/require-description': [
        'error',
        {
          types: true,
          rootField: true,
          DirectiveDefinition: true,
          EnumValueDefinition: true,
          FieldDefinition: true,
          InputValueDefinition: true,
        },
      ],
      // The requirement gives the order of fields, and the order of states and error codes has a meaning.
      '@graphql-eslint/alphabetize': 'off',
      // The requirement gives the arguments of mutations: `token`, `id`, `applicationId`, `public`.
      '@graphql-eslint/input-name': 'off',
      // The rule is for schemas that only read. The requirement gives mutations.
      '@graphql-eslint/no-root-type': 'off',
      // The requirement gives mutations that return `Boolean!`, and others that return the object without a payload around it.
      '@graphql-eslint/no-scalar-result-type-on-mutation': 'off',
      '@graphql-eslint/require-field-of-type-query-in-mutation-result': 'off',
      '@graphql-eslint/require-nullable-result-in-root': 'off',
      // No field has the type `ErrorCode`, on purpose. test/contract/descriptions.test.ts holds that it is the only such type.
      '@graphql-eslint/no-unreachable-types': 'off',
      // `Product.productId` is the store's word, as at an entitlement; the same id may be another product of another application.
      '@graphql-eslint/no-typename-prefix': 'off',
      // The requirement gives ids as `UUID!` or as the SDK's own texts, keys and countries by another name, and users by
      // their e-mail address. The other types are parts of an object that has an id.
      '@graphql-eslint/strict-id-in-types': [
        'error',
        {
          acceptedIdNames: ['id', 'public', 'code'],
          acceptedIdTypes: ['UUID', 'String'],
          exceptions: {
            suffixes: ['Payload', 'Stats'],
            types: [
              'ServiceUser',
              'CampaignChange',
              'CampaignFieldChange',
              'CampaignTrigger',
              'CampaignTriggerFilter',
              'CampaignTargeting',
              'VersionRange',
              'UserPropertyCondition',
              'CampaignFrequency',
              'CampaignSchedule',
              'CampaignAction',
              'Attribution',
              'DeviceInstall',
              'EntitlementOwner',
              'Product',
              'AuditEntry',
              'ServiceTokenCreated',
              'WebhookEdited',
              'WebhookDeliveryPage',
              'EntitlementPage',
              'StoreTransactionPage',
              // The responses of "Analytics" are computed.
              'Activity',
              'ActivityPrevious',
              'ActivityPoint',
              'ActivityTotals',
              'EventSeries',
              'EventSeriesLine',
              'EventSeriesPoint',
              'Funnel',
              'FunnelStep',
              'FunnelBreakdown',
              'Retention',
              'RetentionCohort',
              'RetentionPeriod',
              'EventName',
              'PropertyName',
              'EventNamePage',
              'PropertyNamePage',
              'DevicePage',
              'RecentEvent',
              'RecentEventPage',
              'Revenue',
              'RevenuePoint',
              'RevenueTotals',
              'RevenueBreakdownLine',
              'Subscriptions',
              'MonthlyRevenue',
              'IngestIssue',
              'IngestIssuePage',
              'IngestQuota',
            ],
          },
        },
      ],
    },
  },
];
