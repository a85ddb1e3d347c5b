// The JSON of campaigns, written once a read: all devices get the same bytes.
import type { components } from '../../generated/openapi.ts';

type Campaign = components['schemas']['Campaign'];

/** A campaign's place in the bytes of all: `start` ≤ byte < `end`. */
export interface WrittenCampaign {
  /** Beside the text, because it decides which devices get the campaign. */
  targeting: Campaign['targeting'];
  start: number;
  end: number;
}

export interface WrittenCampaigns {
  /** The UTF-8 text between the brackets of the list. */
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

/** The list with only these campaigns, in its order. Bytes are copied only when a campaign is left out. */
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
