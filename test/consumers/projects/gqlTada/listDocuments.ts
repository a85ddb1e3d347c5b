// Documents of test/dashboard/analytics.graphql: lists of names, devices and events.
import { graphql } from './graphql.ts';

export const EventNamesDocument = graphql(`
  query EventNames($applicationId: UUID!, $search: String, $after: String) {
    eventNames(applicationId: $applicationId, search: $search, after: $after) {
      nodes {
        name
        type
        firstSeenAt
        lastSeenAt
        count30Days
        params {
          name
          types
          examples
        }
      }
      endCursor
      hasMore
      asOf
    }
  }
`);

export const PropertyNamesDocument = graphql(`
  query PropertyNames($applicationId: UUID!, $scope: PropertyScope!, $search: String) {
    propertyNames(applicationId: $applicationId, scope: $scope, search: $search) {
      nodes {
        name
        types
        examples
      }
      endCursor
      hasMore
    }
  }
`);

export const DevicesDocument = graphql(`
  query Devices(
    $applicationId: UUID!
    $search: String
    $filters: [PropertyFilterInput!]
    $sort: DeviceSort
    $after: String
  ) {
    devices(applicationId: $applicationId, search: $search, filters: $filters, sort: $sort, after: $after) {
      nodes {
        id
        userId
        platform
        country
        appVersion
        firstSeenAt
        lastSeenAt
        sessionsCount
      }
      total
      endCursor
      hasMore
      asOf
    }
  }
`);

export const UserDevicesDocument = graphql(`
  query UserDevices($applicationId: UUID!, $userId: String!) {
    userDevices(applicationId: $applicationId, userId: $userId) {
      nodes {
        id
        lastSeenAt
      }
      total
    }
  }
`);

export const DevicesBehindDocument = graphql(`
  query DevicesBehind($of: DevicesBehindInput!, $point: DevicesBehindPointInput!, $after: String) {
    devicesBehind(of: $of, point: $point, after: $after) {
      nodes {
        id
        userId
        lastSeenAt
      }
      total
      endCursor
      hasMore
    }
  }
`);

export const RecentEventsDocument = graphql(`
  query RecentEvents($applicationId: UUID!, $filters: [PropertyFilterInput!], $after: String) {
    recentEvents(applicationId: $applicationId, filters: $filters, after: $after) {
      nodes {
        deviceId
        sessionId
        userId
        name
        type
        timestamp
        receivedAt
        params
      }
      endCursor
      hasMore
      asOf
    }
  }
`);
