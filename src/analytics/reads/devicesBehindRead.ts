// The read of `devicesBehind`: the devices whose units one figure of a report has counted.
import type { AnalyticsEngine } from '../engine/engine.ts';
import { sql } from '../engine/question.ts';
import type { Page } from '../questionInput.ts';
import type { Figure } from '../questions.ts';
import { readDeviceList, type DeviceListResult } from './deviceList.ts';
import { figureDevices } from './figureUnits.ts';

export function readDevicesBehind(engine: AnalyticsEngine, figure: Figure, page: Page): Promise<DeviceListResult> {
  const { applicationId, includeTest } = figure.question;
  const fits = sql`d.device IN (SELECT device FROM (${figureDevices(engine.dialect, figure)}) AS counted)`;
  return readDeviceList(engine, {
    ...{ name: 'devicesBehind', applicationId, includeTest, fits, sort: 'LAST_SEEN' },
    ...page,
  });
}
