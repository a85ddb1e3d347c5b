// `devicesBehind` of funnels, three ways.
import { funnelFigures } from '../support/analytics/drawnFigures.ts';
import { testDevicesBehind } from '../support/analytics/testDevicesBehind.ts';

testDevicesBehind('funnel', funnelFigures);
