// The look of the page: one accent colour, and settings of Mantine's parts that hold everywhere.
import { createTheme, Drawer, Modal, Table, Tooltip } from '@mantine/core';

// Locking the scroll bar writes a <style> element, which the Content-Security-Policy refuses. The head of a dialog is a
// <header>, which readers of the screen would take for a second head of the page.
const dialog = {
  lockScroll: false,
  closeButtonProps: { 'aria-label': 'Close' },
  attributes: { header: { role: 'presentation' } },
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
    Table: Table.extend({ defaultProps: { verticalSpacing: 6, horizontalSpacing: 'sm', highlightOnHover: true } }),
    Tooltip: Tooltip.extend({
      defaultProps: { multiline: true, maw: 320, events: { hover: true, focus: true, touch: true } },
    }),
  },
});
