// `devicesBehind` of the reports by time, three ways.
import { figures } from '../support/analytics/drawnFigures.ts';
import { testDevicesBehind } from '../support/analytics/testDevicesBehind.ts';

testDevicesBehind('activity, eventSeries and retention', figures);
