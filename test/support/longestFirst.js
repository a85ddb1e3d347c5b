// Orders the test files: the longest begin, so that at the end no worker waits for a single long file.
import Sequencer from '@jest/test-sequencer';

/** The longest files come first. Files that mostly wait run beside files that mostly compute. */
const longest = [
  'faults/network',
  'process/addingAnOperation',
  'faults/rolling',
  'faults/database',
  'faults/repeats',
  'process/process.test',
  'faults/killedWorker',
  'faults/fuzz/public/inProcess',
  'faults/killedApi',
  'process/process.keyRotation',
  'integration/purchases.pace',
  'faults/fuzz/admin/inProcess',
  'faults/senders',
  'process/process.production',
  'faults/fuzz/admin/overHttp',
  'process/demo',
  'faults/fullDisk',
  'faults/overload',
  'browser/docs',
  'process/generated',
  'process/',
  'integration/analyticsCopy.proof',
  'integration/removeApplication.races',
  'integration/access',
  'integration/purchases.strangers',
  'integration/purchases.lookUps',
  'integration/storeCredentials',
  'integration/jobs',
  'integration/metrics',
  'integration/attempts',
  'integration/signup',
  'integration/passwords',
  'integration/getCampaigns',
  'integration/limits',
  'integration/analytics.',
  'integration/purchases',
  'integration/notifications',
  'integration/sendPasswordMail',
  'contract/contractDiff.openapi',
  'contract/schemaDrift',
  'integration/auditLog.coverage',
  'integration/logSecrets',
  'integration/demoWorkspace',
  'consumers/',
  'faults/',
];

function placeOf({ path }) {
  const place = longest.findIndex((part) => path.includes(`/test/${part}`));
  return place === -1 ? longest.length : place;
}

export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}
