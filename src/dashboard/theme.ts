// The look of the page: one accent colour, and settings of Mantine's parts that hold everywhere.
import { Autocomplete, createTheme, Drawer, Modal, MultiSelect, Table, TagsInput, Tooltip } from '@mantine/core';
import classes from './theme.module.css';

// Locking the scroll bar writes a <style> element, which the Content-Security-Policy refuses. The head of a dialog is a
// <header>, which readers of the screen would take for a second head of the page.
const dialog = {
  lockScroll: false,
  closeButtonProps: { 'aria-label': 'Close' },
  attributes: { header: { role: 'presentation' } },
  // A title may be a name of 256 characters, which would push the button to close away.
  styles: { title: { minWidth: 0, overflowWrap: 'anywhere' as const } },
};

// The list opens beside its field: at the end of the page it would be outside the landmarks. It scrolls itself, because
// the element that Mantine scrolls in its place cannot be reached by keys.
const choices = {
  defaultProps: { withScrollArea: false, comboboxProps: { withinPortal: false } },
  classNames: { options: classes.options, option: classes.option },
};

export const theme = createTheme({
  primaryColor: 'indigo',
  // Indigo 8 on white has the contrast of 4.5 that text needs.
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'sm',
  cursorType: 'pointer',
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
