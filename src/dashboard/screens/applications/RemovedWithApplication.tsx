// What a deletion of an application removes, when, and what stays (schema.graphql, "Removal of the data").
import { List } from '@mantine/core';

export function RemovedWithApplication() {
  return (
    <List size="sm" spacing={4}>
      <List.Item>Its keys, campaigns and devices are deleted. Nobody can undo it.</List.Item>
      <List.Item>
        Within a second the API gives its keys 404. SDKs that carry them stop sending and get no campaigns.
      </List.Item>
      <List.Item>
        Its data is removed in the background, from a minute after the deletion on. The last run is an hour after it.
      </List.Item>
      <List.Item>These stay: the id, the public keys, which nobody else ever gets, and the audit log.</List.Item>
    </List>
  );
}
