// The way of a dashboard that generates its documents with codegen's client preset, as generated/dashboard has them.
import * as documents from '../../generated/dashboard/graphql.ts';
import { testDashboard } from '../support/dashboardJourney.ts';

testDashboard(async () => documents);
