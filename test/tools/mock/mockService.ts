// Serves both contracts from their examples, with the service's own edges and checks, and stores nothing.
import type { RequestListener } from 'node:http';
import type { OpenAPIV3 } from 'openapi-types';
import type { components } from '../../../generated/openapi.ts';
import { createApp } from '../../../src/app.ts';
import { loadPublicContract, type PublicContract } from '../../../src/http/publicContract.ts';
import { operations } from '../../../src/http/publicOperations.ts';
import { projectFile } from '../../../src/platform/projectRoot.ts';
import { withFaults } from './faults.ts';
import { createMockAdmin } from './mockAdmin.ts';
import { mockDeps, type MockKey } from './mockDeps.ts';

/** As the service allows them outside production by default. */
const dashboardOrigins = ['http://localhost:3000', 'http://localhost:5173'];

type CampaignConfig = components['schemas']['CampaignConfig'];

export async function createMockService(key: MockKey, signatureRequired: boolean): Promise<RequestListener> {
  const contract = await loadPublicContract(projectFile('openapi.yaml'), Object.keys(operations));
  const deps = mockDeps({ key, signatureRequired, campaigns: campaignsExample(contract) });
  const admin = await createMockAdmin(deps);
  return withFaults(createApp({ contract, admin, dashboardOrigins }, deps));
}

/** The first example of getCampaigns in openapi.yaml. A test checks it against its schema. */
function campaignsExample({ document }: PublicContract): CampaignConfig {
  const response = document.paths['/api/v1/campaigns']!.get!.responses['200'] as OpenAPIV3.ResponseObject;
  const [reference] = Object.values(response.content!['application/json']!.examples!) as OpenAPIV3.ReferenceObject[];
  const example = document.components!.examples![reference!.$ref.split('/').at(-1)!] as OpenAPIV3.ExampleObject;
  return example.value as CampaignConfig;
}
