// Which jobs of webhooks may send now: slow receivers of one organization must not hold up those of another.
import { LRUCache } from 'lru-cache';

/** Half of the worker's jobs stay for other work. */
export interface DeliverySlots {
  /** False while no slot is free for the organization. */
  take(organizationId: string): boolean;
  /** `slow`: its receivers let the job wait. */
  give(organizationId: string, slow: boolean): void;
  /** Whether the organization's receivers were slow lately: its jobs share a part of the slots with those of its kind. */
  isSlow(organizationId: string): boolean;
}

interface SlotBounds {
  slots: number;
  ofSlow: number;
  rememberedMillis: number;
}

const usual: SlotBounds = { slots: 4, ofSlow: 2, rememberedMillis: 10 * 60_000 };

/**
 * By organization and not by webhook: an organization can make a new webhook for each event. Four receivers that never
 * responded took all the slots, and the events of everybody else waited.
 */
export function createDeliverySlots({ slots, ofSlow, rememberedMillis } = usual): DeliverySlots {
  const slow = new LRUCache<string, true>({ max: 10_000, ttl: rememberedMillis });
  /** Of each running job whether it counts as slow, by its organization. */
  const running: { organizationId: string; slow: boolean }[] = [];
  const isSlow = (organizationId: string): boolean => slow.has(organizationId);
  return {
    isSlow,
    take(organizationId) {
      const counts = isSlow(organizationId);
      const isFull = running.length >= slots || (counts && running.filter((one) => one.slow).length >= ofSlow);
      if (!isFull) running.push({ organizationId, slow: counts });
      return !isFull;
    },
    give(organizationId, wasSlow) {
      if (wasSlow) slow.set(organizationId, true);
      running.splice(
        running.findIndex((one) => one.organizationId === organizationId),
        1,
      );
    },
  };
}
