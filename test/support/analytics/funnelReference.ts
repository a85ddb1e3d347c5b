// The reference of `funnel`: each unit walks through its events, as the definition says it.
import {
  usesPresentProperties,
  type BreakdownValue,
  type FunnelQuestion,
  type PropertyValue,
} from '../../../src/analytics/questions.ts';
import { linesOf } from './breakdownReference.ts';
import {
  eventsOf,
  isIn,
  isSelected,
  percentile,
  sessionsOf,
  unitOf,
  wholeSpan,
  type SeenEvent,
} from './definitions.ts';
import type { Drawn } from './drawn.ts';

export interface FunnelSteps {
  index: number;
  count: number;
  conversion: number | null;
  fromPrevious: number | null;
  medianSeconds: number | null;
}

export interface FunnelResponse {
  steps: FunnelSteps[];
  breakdown: { value: PropertyValue | null; isOther: boolean; steps: FunnelSteps[] }[] | null;
  presentProperties: boolean;
}

/** What one unit did: the event of each step that it has, as far as it has all before it. */
export interface Walk {
  unit: string;
  steps: SeenEvent[];
}

export function funnelOf(drawn: Drawn, question: FunnelQuestion): FunnelResponse {
  const walks = walksOf(drawn, question);
  const parts = [question.breakdown, ...question.steps.flatMap(({ filters }) => filters)];
  return {
    steps: stepsOf(walks, question),
    breakdown: question.breakdown && breakdownOf(walks, question),
    presentProperties: usesPresentProperties(parts),
  };
}

export function walksOf(drawn: Drawn, question: FunnelQuestion): Walk[] {
  const byUnit = new Map<string, SeenEvent[]>();
  for (const event of eventsOf(sessionsOf(drawn, question.includeTest))) {
    const unit = unitOf(event.session, question.unit);
    byUnit.set(unit, [...(byUnit.get(unit) ?? []), event]);
  }
  return [...byUnit].flatMap(([unit, events]) => {
    const steps = question.order === 'ORDERED' ? inOrder(events, question) : inAnyOrder(events, question);
    return steps.length > 0 ? [{ unit, steps }] : [];
  });
}

/** "A unit enters with its first event of the first step in the range." Its place among the unit's events, or -1. */
function entering(events: readonly SeenEvent[], question: FunnelQuestion): number {
  const range = wholeSpan(question);
  return events.findIndex((event) => isIn(range, event.at) && isSelected(event, question.steps[0]!));
}

/** `within` counts from the entering event, its last instant included. */
function isInTime(event: SeenEvent, entered: SeenEvent, { withinMicros }: FunnelQuestion): boolean {
  return event.at - entered.at <= Number(withinMicros);
}

/** Each step by the first event after that of the step before. */
function inOrder(events: readonly SeenEvent[], question: FunnelQuestion): SeenEvent[] {
  let place = entering(events, question);
  if (place < 0) return [];
  const steps = [events[place]!];
  for (const step of question.steps.slice(1)) {
    place = events.findIndex((event, index) => index > place && isSelected(event, step));
    if (place < 0 || !isInTime(events[place]!, steps[0]!, question)) break;
    steps.push(events[place]!);
  }
  return steps;
}

/** As many steps from the first on as can be given an event each, by any choice of events. */
function inAnyOrder(events: readonly SeenEvent[], question: FunnelQuestion): SeenEvent[] {
  const place = entering(events, question);
  if (place < 0) return [];
  const entered = events[place]!;
  const later = events.slice(place + 1).filter((event) => isInTime(event, entered, question));
  for (let count = question.steps.length; count > 1; count -= 1) {
    const chosen = choose(question.steps.slice(1, count), later);
    if (chosen) return [entered, ...chosen];
  }
  return [entered];
}

/** An event of its own for each step, found by trying all; null where there is no such choice. */
function choose(steps: FunnelQuestion['steps'], events: readonly SeenEvent[]): SeenEvent[] | null {
  const [step, ...others] = steps;
  if (!step) return [];
  for (const event of events) {
    if (!isSelected(event, step)) continue;
    const rest = choose(
      others,
      events.filter((each) => each !== event),
    );
    if (rest) return [event, ...rest];
  }
  return null;
}

export function stepsOf(walks: readonly Walk[], { steps, order }: FunnelQuestion): FunnelSteps[] {
  const countOf = (index: number) => walks.filter((walk) => walk.steps.length > index).length;
  return steps.map((_, index) => {
    const count = countOf(index);
    const [entered, before] = [countOf(0), countOf(Math.max(0, index - 1))];
    const seconds = walks.flatMap(({ steps: own }) =>
      index > 0 && own.length > index ? [(own[index]!.at - own[index - 1]!.at) / 1_000_000] : [],
    );
    return {
      ...{ index, count },
      conversion: entered === 0 ? null : count / entered,
      fromPrevious: before === 0 ? null : count / before,
      medianSeconds: order === 'ANY' ? null : percentile(seconds, 0.5),
    };
  });
}

/** By the value at the entering event of each unit. */
function breakdownOf(walks: readonly Walk[], question: FunnelQuestion): NonNullable<FunnelResponse['breakdown']> {
  const lines = linesOf(
    walks.map(({ steps }) => steps[0]!),
    question.breakdown!,
  );
  return lines.map(({ value, isOther, events }) => ({
    ...({ value, isOther } satisfies BreakdownValue),
    steps: stepsOf(
      walks.filter(({ steps }) => events.includes(steps[0]!)),
      question,
    ),
  }));
}
