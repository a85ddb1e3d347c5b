// Campaigns written as JSON once for each reading: however many devices fetch them, all are sent the same bytes.
import type { components } from '../../generated/openapi.ts';

type Campaign = components['schemas']['Campaign'];

/** A campaign's place in the bytes of all: `start` ≤ byte < `end`. */
export interface WrittenCampaign {
  /** Apart from its text, since it decides which devices are sent it. */
  targeting: Campaign['targeting'];
  start: number;
  end: number;
}

export interface WrittenCampaigns {
  /** What stands between the brackets of the list, in UTF-8. */
  bytes: Buffer;
  /** In the order of the bytes. */
  campaigns: WrittenCampaign[];
}

/** `json` is the text of `campaign`. */
export function writtenCampaigns(list: readonly { campaign: Campaign; json: string }[]): WrittenCampaigns {
  let end = -1;
  const campaigns = list.map(({ campaign, json }) => {
    const start = end + 1;
    end = start + Buffer.byteLength(json);
    return { targeting: campaign.targeting, start, end };
  });
  return { bytes: Buffer.from(list.map(({ json }) => json).join(',')), campaigns };
}

/** The list with only these, which stand in its order. Copied only where some between them are left out. */
export function onlyThese(bytes: Buffer, campaigns: readonly WrittenCampaign[]): Buffer {
  const runs: { start: number; end: number }[] = [];
  for (const { start, end } of campaigns) {
    const last = runs.at(-1);
    if (last && last.end + 1 === start) last.end = end;
    else runs.push({ start, end });
  }
  const parts = runs.map(({ start, end }) => bytes.subarray(start, end));
  if (parts.length === 1) return parts[0]!;
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [comma, part])));
}

const comma = Buffer.from(',');
