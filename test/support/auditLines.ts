// Reads the audit log for the tests of other operations: straight from the table, oldest line first.
import type { TestService } from './testService.ts';

export interface AuditLine {
  actor: string;
  action: string;
  objectType: string;
  objectId: string;
  details: unknown;
}

/** The organization's audit lines that are newer than `line`. */
export async function auditLines(
  { database }: Pick<TestService, 'database'>,
  organizationId: string,
  since = 0n,
): Promise<AuditLine[]> {
  const rows = await database.prisma.auditEntry.findMany({
    where: { organizationId, id: { gt: since } },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ actor, action, objectType, objectId, details }) => ({
    actor,
    action,
    objectType,
    objectId,
    details,
  }));
}

export async function lastLine({ database }: Pick<TestService, 'database'>): Promise<bigint> {
  const { _max } = await database.prisma.auditEntry.aggregate({ _max: { id: true } });
  return _max.id ?? 0n;
}
