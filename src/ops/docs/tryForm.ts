// The command and the form of an operation: both send its first example.
import type { OpenAPIV3 } from 'openapi-types';
import type { DocsOptions } from './docsOptions.ts';
import { escapeHtml } from './page.ts';
import { examplesOf, jsonOf, resolveRef, type DescribedOperation, type NamedExample } from './publicDocument.ts';

type Document = OpenAPIV3.Document;
type Parameter = OpenAPIV3.ParameterObject;

export const signedOperation = 'reportSessions';

/** With the real base URL and the key of the demo. The command of an upload is signed where it must be. */
export function curlCommand(described: DescribedOperation, { document, demo, publicUrl }: DocsOptions): string {
  const { operationId, path, operation } = described;
  if (operationId === signedOperation) return demo.command();
  const parameters = parametersOf(operation, document);
  const query = parameters.filter((each) => each.in === 'query' && each.example !== undefined);
  const search = new URLSearchParams(query.map(({ name, example }): [string, string] => [name, String(example)]));
  const url = `${publicUrl() ?? ''}${filledPath(path, parameters)}${query.length > 0 ? `?${search.toString()}` : ''}`;
  const [body] = bodiesOf(operation, document);
  const headers = isForApps(operation) ? [`X-Api-Key: ${demo.key.public}`] : [];
  if (body) headers.push('Content-Type: application/json');
  const lines = headers.map((header) => `-H '${header}'`);
  if (body) lines.push(`-d '${JSON.stringify(body.value).replaceAll("'", String.raw`'\''`)}'`);
  return [`curl -i '${url}'`, ...lines].join(' \\\n  ');
}

export function renderTryForm(
  { operationId, method, path, operation }: DescribedOperation,
  document: Document,
): string {
  const signed = operationId === signedOperation;
  // The page makes the headers of the signature.
  const parameters = parametersOf(operation, document).filter((each) => !(signed && each.in === 'header'));
  const fields = parameters.map(
    ({ name, in: place, example }) =>
      `<label>${escapeHtml(name)} <input name="${escapeHtml(name)}" data-in="${place}" value="${
        place === 'header' ? '' : escapeHtml(String(example ?? ''))
      }" spellcheck="false" autocomplete="off"></label>`,
  );
  const bodies = bodiesOf(operation, document);
  return `<form class="try fields" data-operation="${operationId}" data-method="${method}" data-path="${escapeHtml(path)}">
${fields.join('\n')}
${bodies.length > 0 ? renderBodyField(bodies) : ''}
<p class="send"><button>Send</button> <span>to <code>${method} ${escapeHtml(path)}</code>, with the <a href="#keys">keys above</a>${
    signed ? ', signed' : ''
  }</span></p>
<div class="answer" role="status" hidden></div>
</form>`;
}

function renderBodyField(bodies: NamedExample[]): string {
  const options = bodies.map(
    ({ summary, value }) =>
      `<option data-body="${escapeHtml(JSON.stringify(value, null, 2))}">${escapeHtml(summary)}</option>`,
  );
  const [first] = bodies;
  return `<label>Example <select>${options.join('')}</select></label>
<label class="wide">Body <textarea name="body" rows="12" spellcheck="false">${escapeHtml(
    JSON.stringify(first?.value, null, 2),
  )}</textarea></label>`;
}

function parametersOf(operation: OpenAPIV3.OperationObject, document: Document): Parameter[] {
  return (operation.parameters ?? []).map((each) => resolveRef<Parameter>(document, each));
}

function bodiesOf({ requestBody }: OpenAPIV3.OperationObject, document: Document): NamedExample[] {
  if (!requestBody) return [];
  const body = resolveRef<OpenAPIV3.RequestBodyObject>(document, requestBody);
  return examplesOf(document, jsonOf(body.content));
}

function filledPath(path: string, parameters: Parameter[]): string {
  return path.replaceAll(/\{(\w+)\}/g, (braced, name) => {
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
    return encodeURIComponent(String(parameter?.example ?? braced));
  });
}

/** Without a key where the contract asks for none. */
function isForApps({ security }: OpenAPIV3.OperationObject): boolean {
  return security === undefined || security.some((each) => 'ApiKey' in each);
}
