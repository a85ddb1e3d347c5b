// The look of the page: one accent colour, and settings of Mantine's parts that hold everywhere.
import {
  Autocomplete,
  createTheme,
  Drawer,
  Modal,
  MultiSelect,
  Table,
  TagsInput,
  Tooltip,
  type CSSVariablesResolver,
} from '@mantine/core';

// Locking the scroll bar writes a <style> element without our nonce. The head of a dialog is a <header>, which readers of
// the screen would take for a second head of the page.
const dialog = {
  lockScroll: false,
  closeButtonProps: { 'aria-label': 'Close' },
  attributes: { header: { role: 'presentation' } },
};

// The list opens beside its field: at the end of the page it would be outside the landmarks. It scrolls itself, because
// the element that Mantine scrolls in its place cannot be reached by keys.
const choices = {
  defaultProps: { withScrollArea: false, comboboxProps: { withinPortal: false } },
  styles: { options: { maxHeight: 220, overflowY: 'auto' as const } },
};

export const theme = createTheme({
  primaryColor: 'indigo',
  components: {
    Modal: Modal.extend({ defaultProps: dialog }),
    Drawer: Drawer.extend({ defaultProps: dialog }),
    Autocomplete: Autocomplete.extend(choices),
    MultiSelect: MultiSelect.extend(choices),
    TagsInput: TagsInput.extend(choices),
    Table: Table.extend({ defaultProps: { verticalSpacing: 6, horizontalSpacing: 10, highlightOnHover: true } }),
    Tooltip: Tooltip.extend({
      defaultProps: { multiline: true, maw: 320, events: { hover: true, focus: true, touch: true } },
    }),
  },
});

const red = {
  '--mantine-color-red-filled': '#c92a2a',
  '--mantine-color-red-filled-hover': '#b02525',
  '--mantine-color-red-outline': 'var(--bad)',
};

/** Contrasts of at least 4.5, and what only this page has: lines, surfaces, good and bad news, the lines of a chart. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...red,
    '--mantine-color-anchor': 'var(--mantine-color-indigo-8)',
    '--mantine-color-indigo-filled': 'var(--mantine-color-indigo-8)',
    '--mantine-color-indigo-filled-hover': 'var(--mantine-color-indigo-9)',
    '--mantine-color-green-light-color': '#1e6b2e',
    '--mantine-color-dimmed': '#5c636b',
    '--mantine-color-placeholder': '#6b727a',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-yellow-light-color': '#7a4100',
    '--line': 'var(--mantine-color-gray-3)',
    '--surface': 'var(--mantine-color-gray-0)',
    ...series('#3b5bdb', '#0b7285', '#c2255c', '#e67700', '#2b8a3e', '#862e9c', '#5c636b'),
    '--good': '#2b8a3e',
    '--bad': '#c92a2a',
  },
  dark: {
    ...red,
    '--mantine-color-anchor': 'var(--mantine-color-indigo-3)',
    '--mantine-color-dimmed': '#a5abb3',
    '--mantine-color-placeholder': '#9aa1a9',
    '--mantine-color-error': '#ff8787',
    '--line': 'var(--mantine-color-dark-4)',
    '--surface': 'var(--mantine-color-dark-6)',
    ...series('#91a7ff', '#66d9e8', '#faa2c1', '#ffd43b', '#8ce99a', '#e599f7', '#adb5bd'),
    '--good': '#8ce99a',
    '--bad': '#ff8787',
  },
});

/** The colours of the lines of a chart, by the number of the line. */
function series(...colors: string[]): Record<`--${string}`, string> {
  return Object.fromEntries(colors.map((color, at) => [`--series-${at + 1}`, color]));
}
