// One device.
export function Device() {
  return null;
}
