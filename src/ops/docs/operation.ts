// One operation of the reference: its request and responses, a command, a form to send a request, and its part of the guide.
import type { OpenAPIV3 } from 'openapi-types';
import type { DocsOptions } from './docsOptions.ts';
import { renderCode, renderMarkdown } from './markdown.ts';
import { escapeHtml, renderInline, renderTable } from './page.ts';
import { examplesOf, jsonOf, resolveRef, type DescribedOperation, type NamedExample } from './publicDocument.ts';
import { describeValue, renderSchema } from './schema.ts';
import { curlCommand, renderTryForm } from './tryForm.ts';

type Document = OpenAPIV3.Document;

export function renderOperation(described: DescribedOperation, options: DocsOptions): string {
  const { method, path, operationId: id, operation } = described;
  const { document } = options;
  const [intro = '', ...sections] = (operation.description ?? '').split(/^(?=## )/m);
  return `<section class="operation">
<h2 id="${id}" data-method="${method}">${id}</h2>
<p class="request"><span class="method">${method}</span> <code>${escapeHtml(path)}</code></p>
<p class="summary">${renderInline(operation.summary ?? '')}.</p>
${renderMarkdown(intro)}
${renderParameters(described, document)}
${renderBody(described, document)}
<h3 id="${id}-responses">Responses</h3>
${Object.entries(operation.responses)
  .map(([status, response]) => renderResponse(status, response, document))
  .join('\n')}
<h3 id="${id}-command">Command</h3>
${renderCode(curlCommand(described, options))}
<h3 id="${id}-send">Send a request</h3>
${renderTryForm(described, document)}
${renderMarkdown(sections.join(''), { deeper: 1 })}
</section>`;
}

function renderParameters({ operationId, operation }: DescribedOperation, document: Document): string {
  const parameters = (operation.parameters ?? []).map((each) => resolveRef<OpenAPIV3.ParameterObject>(document, each));
  if (parameters.length === 0) return '';
  const rows = parameters.map((parameter) => [
    `<code>${escapeHtml(parameter.name)}</code>`,
    parameter.in,
    parameter.required ? 'yes' : 'no',
    parameter.schema ? describeValue(parameter.schema, document) : '',
    renderInline(parameter.description ?? ''),
  ]);
  return `<h3 id="${operationId}-parameters">Parameters</h3>
${renderTable(['Name', 'In', 'Required', 'Value', 'Meaning'], rows)}`;
}

function renderBody({ operationId, operation }: DescribedOperation, document: Document): string {
  if (!operation.requestBody) return '';
  const body = resolveRef<OpenAPIV3.RequestBodyObject>(document, operation.requestBody);
  const media = jsonOf(body.content);
  return `<h3 id="${operationId}-body">Request body</h3>
${renderMarkdown(body.description ?? '')}
${media?.schema ? renderSchema(media.schema, document) : ''}
${renderExamples(examplesOf(document, media))}`;
}

function renderResponse(
  status: string,
  given: OpenAPIV3.ReferenceObject | OpenAPIV3.ResponseObject,
  document: Document,
) {
  const response = resolveRef<OpenAPIV3.ResponseObject>(document, given);
  const media = jsonOf(response.content);
  const headers = Object.entries(response.headers ?? {}).map(([name, header]) => [
    `<code>${escapeHtml(name)}</code>`,
    renderInline(resolveRef<OpenAPIV3.HeaderObject>(document, header).description ?? ''),
  ]);
  return `<details class="response"><summary><strong class="status${status[0]}">${escapeHtml(status)}</strong>
<span>${renderInline(response.description.trim())}</span></summary>
${headers.length > 0 ? renderTable(['Header', 'Meaning'], headers) : ''}
${media?.schema ? renderSchema(media.schema, document) : ''}
${renderExamples(examplesOf(document, media))}
</details>`;
}

function renderExamples(examples: NamedExample[]): string {
  return examples
    .map(
      ({ summary, value }) => `<details class="example"><summary>Example: ${renderInline(summary)}</summary>
${renderCode(JSON.stringify(value, null, 2))}</details>`,
    )
    .join('\n');
}
