// One stop for the Tab key in a table of many buttons: arrow keys, Home and End go from button to button.
import { useEffect, useRef, type KeyboardEvent } from 'react';

const steps: Record<string, [row: number, column: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** For the element around the table, whose buttons have a `tabIndex` of -1. */
export function useArrowKeys() {
  const ref = useRef<HTMLDivElement>(null);
  const stop = useRef<HTMLElement | null>(null);
  const makeStop = (button: HTMLElement | null): void => {
    if (stop.current) stop.current.tabIndex = -1;
    if (button) button.tabIndex = 0;
    stop.current = button;
  };
  useEffect(() => {
    if (!stop.current?.isConnected) makeStop(ref.current?.querySelector('td button') ?? null);
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    const cell = (event.target as HTMLElement).closest('td');
    const next = cell && target(cell, event.key);
    if (!next) return;
    event.preventDefault();
    makeStop(next);
    next.focus();
  };
  const onFocus = ({ target }: { target: EventTarget }): void => {
    if (target instanceof HTMLButtonElement && target.closest('td')) makeStop(target);
  };
  return { ref, onKeyDown, onFocus };
}

function target(cell: HTMLTableCellElement, key: string): HTMLButtonElement | null {
  const row = cell.parentElement as HTMLTableRowElement;
  if (key === 'Home') return row.querySelector('td button');
  if (key === 'End') return [...row.querySelectorAll<HTMLButtonElement>('td button')].at(-1) ?? null;
  const step = steps[key];
  return step ? nextButton(cell, step) : null;
}

/** Skips cells without a button. */
function nextButton(from: HTMLTableCellElement, [down, right]: [number, number]): HTMLButtonElement | null {
  const rows = [...from.closest('tbody')!.rows];
  let [row, column] = [rows.indexOf(from.parentElement as HTMLTableRowElement), from.cellIndex];
  for (;;) {
    [row, column] = [row + down, column + right];
    const cell = rows[row]?.cells[column];
    if (!cell || row < 0) return null;
    const button = cell.querySelector('button');
    if (button) return button;
  }
}
