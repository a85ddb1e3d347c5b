// Documents of test/dashboard/analytics.graphql: reports.
import { graphql } from './graphql.ts';

export const ActivityDocument = graphql(`
  query Activity($input: ActivityInput!) {
    activity(input: $input) {
      points {
        start
        complete
        active
        new
        sessions
        medianSessionSeconds
        events
      }
      totals {
        active
        new
        sessions
        medianSessionSeconds
        events
      }
      previous {
        totals {
          active
        }
      }
      stickiness
      asOf
    }
  }
`);

export const EventSeriesDocument = graphql(`
  query EventSeries($input: EventSeriesInput!) {
    eventSeries(input: $input) {
      series {
        index
        event
        breakdownValue
        isOther
        points {
          start
          complete
          value
        }
        total
      }
      presentProperties
      asOf
    }
  }
`);

export const FunnelDocument = graphql(`
  query Funnel($input: FunnelInput!) {
    funnel(input: $input) {
      steps {
        index
        count
        conversion
        fromPrevious
        medianSeconds
      }
      breakdown {
        value
        isOther
        steps {
          index
          count
        }
      }
      asOf
    }
  }
`);

export const RetentionDocument = graphql(`
  query Retention($input: RetentionInput!) {
    retention(input: $input) {
      cohorts {
        start
        size
        periods {
          index
          count
          complete
        }
      }
      asOf
    }
  }
`);

export const RevenueDocument = graphql(`
  query Revenue($input: RevenueInput!) {
    revenue(input: $input) {
      points {
        start
        complete
        gross
        refunds
        purchases
        payers
        renewals
      }
      totals {
        gross
        refunds
        purchases
        payers
        renewals
      }
      breakdown {
        value
        isOther
        points {
          start
          gross
        }
      }
      asOf
    }
  }
`);

export const SubscriptionsDocument = graphql(`
  query Subscriptions($applicationId: UUID!, $at: DateTime) {
    subscriptions(applicationId: $applicationId, at: $at) {
      active
      inGrace
      inRetry
      trials
      mrr {
        currency
        amount
      }
      asOf
    }
    revenueCurrencies(applicationId: $applicationId)
  }
`);

export const IngestIssuesDocument = graphql(`
  query IngestIssues($applicationId: UUID!, $from: Date!, $to: Date!) {
    ingestIssues(applicationId: $applicationId, from: $from, to: $to) {
      nodes {
        day
        operation
        status
        reason
        path
        sdkVersion
        appVersion
        count
        firstAt
        lastAt
        samplePath
        sampleMessage
      }
      endCursor
      hasMore
    }
  }
`);
