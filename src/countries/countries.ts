// query countries: the countries of ISO 3166-1 with English names, in alphabetical order of the name.
import isoCountries from 'i18n-iso-countries';

export interface Country {
  code: string;
  name: string;
}

/** The package's file also holds a region that is not in the standard. */
const notInTheStandard = ['XK'];

const all: readonly Country[] = listCountries();

export function countries(): Country[] {
  return [...all];
}

function listCountries(): Country[] {
  const { compare } = new Intl.Collator('en');
  return Object.entries(isoCountries.getNames('en', { select: 'official' }))
    .map(([code, name]) => ({ code, name }))
    .filter(({ code }) => !notInTheStandard.includes(code))
    .sort((one, other) => compare(one.name, other.name));
}
