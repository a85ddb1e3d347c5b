// Orders the test files: the longest begin, so that at the end no worker waits for a single long file.
import Sequencer from '@jest/test-sequencer';

/** The longest files come first. Files that mostly wait run beside files that mostly compute. */
const longest = [
  'process/addingAnOperation',
  'nightly/analyticsCopy.proof',
  'process/demo',
  'process/process.test',
  'faults/killedWorker',
  'faults/analyticsCopy',
  'faults/rolling',
  'faults/overload.test',
  'nightly/analyticsCopy.trouble',
  'process/dev',
  'faults/network',
  'process/tools',
  'browser/dashboardCrowded',
  'browser/docs',
  'faults/adminReads',
  'faults/purchases',
  'faults/fuzz/',
  'faults/senders',
  'nightly/analyticsCopy.files',
  'process/',
  'faults/',
  'integration/access.test',
  'integration/analytics',
  'integration/purchases',
  'nightly/',
  'integration/',
  'contract/',
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
