// The order of the test files: those that take longest begin, so that at the end no worker waits for one of them alone.
import Sequencer from '@jest/test-sequencer';

/** The longest first; those that mostly wait beside those that mostly compute. */
const longest = [
  'faults/network',
  'contract/addingAnOperation',
  'faults/rolling',
  'faults/database',
  'faults/repeats',
  'integration/process.test',
  'faults/killedWorker',
  'faults/fuzz/public/inProcess',
  'faults/killedApi',
  'integration/process.keyRotation',
  'integration/purchases.pace',
  'faults/fuzz/admin/inProcess',
  'faults/senders',
  'integration/process.production',
  'faults/fuzz/admin/overHttp',
  'integration/demo',
  'faults/fullDisk',
  'faults/overload',
  'integration/docs.browser',
  'contract/generated',
  'integration/process',
  'integration/access',
  'integration/getCampaigns.processes',
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
