// The journey of a dashboard whose documents codegen's client preset generates, as in generated/dashboard.
import * as documents from '../../generated/dashboard/graphql.ts';
import { testDashboard } from '../support/dashboardJourney.ts';

testDashboard(async () => documents);
