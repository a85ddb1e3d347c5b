// A list of conditions on the parameters of an event or on the properties of the user, all of which must hold.
import { Button, CloseButton, NativeSelect, Stack, TextInput } from '@mantine/core';
import { blankWords } from '../../parts/blankText.ts';
import { takesList, words } from '../../parts/filters/filters.ts';
import { NameInput } from '../../parts/names/NameInput.tsx';
import { writtenInList } from '../../parts/values.ts';
import { ValuesInput } from '../../parts/ValuesInput.tsx';
import { change, errorAt, type CampaignForm } from './fields.ts';
import { kindsOf, listOf, newCondition, operators, withOp, type ConditionDraft, type Kind } from './conditions.ts';
import classes from './CampaignEditor.module.css';

interface ConditionsProps {
  form: CampaignForm;
  applicationId: string;
  /** Of the list in the form: `trigger.filters`. */
  path: string;
  list: ConditionDraft[];
  scope: 'EVENT' | 'USER';
  most: number;
}

export function Conditions({ form, applicationId, path, list, scope, most }: ConditionsProps) {
  const error = form.errors[path];
  return (
    <Stack gap="xs" align="stretch">
      {list.map((condition, index) => (
        <ConditionRow
          key={condition.key}
          condition={condition}
          number={index + 1}
          applicationId={applicationId}
          scope={scope}
          errors={{
            name: errorAt(form, `${path}.${index}.name`) ?? errorAt(form, `${path}.${index}.param`),
            value: errorAt(form, `${path}.${index}.value`),
          }}
          change={(to) => change(form, `${path}.${index}`, { to })}
          remove={() => change(form, path, { to: list.filter((_, other) => other !== index) })}
        />
      ))}
      {error !== undefined && <div className={classes.error}>{error}</div>}
      <div>
        <Button
          size="compact-sm"
          variant="default"
          disabled={list.length >= most}
          onClick={() => change(form, path, { to: [...list, newCondition()] })}
        >
          Add condition
        </Button>
      </div>
    </Stack>
  );
}

interface RowProps {
  condition: ConditionDraft;
  number: number;
  applicationId: string;
  scope: 'EVENT' | 'USER';
  errors: { name: string | undefined; value: string | undefined };
  change: (condition: ConditionDraft) => void;
  remove: () => void;
}

const kindNames: Record<Kind, string> = { TEXT: 'Text', NUMBER: 'Number', BOOLEAN: 'True or false', JSON: 'JSON' };

function ConditionRow({ condition, number, applicationId, scope, errors, change, remove }: RowProps) {
  const { name, op, kind } = condition;
  const kinds = kindsOf(op);
  return (
    <div className={classes.condition} role="group" aria-label={`Condition ${number}`}>
      <NameInput
        applicationId={applicationId}
        scope={scope}
        label={scope === 'EVENT' ? 'Parameter' : 'Property'}
        value={name}
        change={(next) => change({ ...condition, name: next })}
        error={errors.name}
      />
      <NativeSelect
        size="xs"
        label="Comparison"
        value={op}
        onChange={({ target }) => change(withOp(condition, target.value as ConditionDraft['op']))}
        data={operators.map((value) => ({ value, label: words[value] }))}
      />
      {kinds.length > 0 && (
        <NativeSelect
          size="xs"
          label="Type"
          value={kind}
          onChange={({ target }) => change(withKind(condition, target.value as Kind))}
          data={kinds.map((value) => ({ value, label: kindNames[value] }))}
        />
      )}
      {kinds.length > 0 && <ValueField condition={condition} error={errors.value} change={change} />}
      <CloseButton className={classes.remove} size="sm" aria-label={`Remove condition ${number}`} onClick={remove} />
    </div>
  );
}

function withKind(condition: ConditionDraft, kind: Kind): ConditionDraft {
  const isTruth = condition.text === 'true' || condition.text === 'false';
  return { ...condition, kind, text: kind === 'BOOLEAN' && !isTruth ? 'true' : condition.text };
}

interface ValueProps {
  condition: ConditionDraft;
  error: string | undefined;
  change: (condition: ConditionDraft) => void;
}

function ValueField({ condition, error, change }: ValueProps) {
  const { op, kind, text } = condition;
  if (takesList(op) && kind !== 'JSON') {
    return (
      <ValuesInput
        size="xs"
        label="Values"
        value={text}
        shown={listOf(text).map(writtenInList)}
        change={(typed) => change({ ...condition, text: typed })}
        error={error}
      />
    );
  }
  if (kind === 'BOOLEAN') {
    return (
      <NativeSelect
        size="xs"
        label="Value"
        value={text}
        onChange={({ target }) => change({ ...condition, text: target.value })}
        data={['true', 'false']}
        error={error}
      />
    );
  }
  return (
    <TextInput
      size="xs"
      label="Value"
      inputMode={kind === 'NUMBER' ? 'decimal' : undefined}
      classNames={kind === 'JSON' ? { input: classes.code } : undefined}
      value={text}
      description={blankWords(text)}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      onChange={({ target }) => change({ ...condition, text: target.value })}
      error={error}
    />
  );
}
