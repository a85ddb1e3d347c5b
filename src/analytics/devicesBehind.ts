// query devicesBehind: the devices that one figure of a report has counted, in pages by cursor.
import type { DevicePage, QueryDevicesBehindArgs } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { findAskedApplication, type AnalyticsNeeds } from './askedApplication.ts';
import { askEngine } from './askEngine.ts';
import { readFigure } from './figureInput.ts';
import { readPage } from './questionInput.ts';
import type { Figure } from './questions.ts';
import { deviceCursor } from './reads/deviceList.ts';
import { readDevicesBehind } from './reads/devicesBehindRead.ts';

type Args = Partial<QueryDevicesBehindArgs> & Pick<QueryDevicesBehindArgs, 'of' | 'point'>;

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function devicesBehind(args: Args, needs: AnalyticsNeeds): Promise<DevicePage> {
  const rules = inputRules();
  const asked = readFigure(rules, args);
  const page = readPage(rules, args, deviceCursor('devicesBehind'));
  rules.assert();
  const { question } = asked!;
  const { timeZone } = await findAskedApplication(needs, question.applicationId);
  const figure = { ...asked, question: { ...question, timeZone: question.timeZone ?? timeZone } } as Figure;
  return askEngine({
    needs,
    path: 'of',
    read: (engine) => readDevicesBehind(engine, figure, page),
    rowsOf: ({ nodes }) => nodes.length,
  });
}
