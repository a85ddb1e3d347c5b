// A name in the list of a field: in its own direction, cut at the width of the list.
import { GivenText } from '../GivenText.tsx';

export const nameOption = ({ option }: { option: { value: string } }) => <GivenText text={option.value} cut />;
