// In the browser: sends the requests of the forms to this listener, and signs uploads with the typed secret.
const keys = document.getElementById('key-form');
const signing = document.getElementById('signing');
const base = '/docs/try';

const hex = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The headers of openapi.yaml, "Signature of a session request". */
async function signatureHeaders({ publicKey, secret, body }) {
  const encode = (text) => new TextEncoder().encode(text);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const random = crypto.getRandomValues(new Uint8Array(16));
  const nonce = btoa(String.fromCharCode(...random))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
  const bodyHash = hex(await crypto.subtle.digest('SHA-256', encode(body)));
  const signed = ['v1', 'POST', '/api/v1/session', publicKey, timestamp, nonce, bodyHash].join('\n');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encode(secret), algorithm, false, ['sign']);
  const signature = hex(await crypto.subtle.sign('HMAC', key, encode(signed)));
  return { 'X-Timestamp': timestamp, 'X-Nonce': nonce, 'X-Signature': `v1=${signature}` };
}

/** What the form says: the URL of the API, the headers and the body. */
async function requestOf(form) {
  const { method, path, operation } = form.dataset;
  const publicKey = keys.elements.public.value;
  const secret = keys.elements.secret.value;
  const headers = publicKey === '' ? {} : { 'X-Api-Key': publicKey };
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, value, dataset } of form.querySelectorAll('[data-in]')) {
    if (dataset.in === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== '' && dataset.in === 'query') query.set(name, value);
    else if (value !== '' && dataset.in === 'header') headers[name] = value;
  }
  const body = form.elements.body?.value;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (operation === 'reportSessions' && secret !== '' && crypto.subtle)
    Object.assign(headers, await signatureHeaders({ publicKey, secret, body }));
  return { method, url: `${filled}${query.size > 0 ? `?${query}` : ''}`, headers, body };
}

async function send(form) {
  const answer = form.querySelector('.answer');
  answer.hidden = false;
  answer.replaceChildren('Sending …');
  try {
    const { method, url, headers, body } = await requestOf(form);
    const start = performance.now();
    const response = await fetch(base + url, { method, headers, body, cache: 'no-store' });
    const text = await response.text();
    const millis = Math.round(performance.now() - start);
    const sent = [`${method} ${url}`, ...linesOf(Object.entries(headers))].join('\n');
    answer.replaceChildren(
      element(
        'p',
        `${response.status} ${response.statusText}, after ${millis} ms`,
        `status status${String(response.status)[0]}`,
      ),
      ...block('Response body', pretty(text)),
      ...block('Response headers', linesOf([...response.headers]).join('\n')),
      ...block('Request', sent),
    );
  } catch (error) {
    answer.replaceChildren(element('p', `Not sent: ${error.message}`, 'status status5'));
  }
}

const linesOf = (headers) => headers.map(([name, value]) => `${name}: ${value}`);

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function element(tag, text, className = '') {
  return Object.assign(document.createElement(tag), { textContent: text, className });
}

function block(title, text) {
  if (text === '') return [];
  const code = element('pre', text);
  code.tabIndex = 0;
  return [element('p', title, 'caption'), code];
}

for (const form of document.querySelectorAll('form.try')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
  form.querySelector('select')?.addEventListener('change', ({ target }) => {
    form.elements.body.value = target.selectedOptions[0].dataset.body;
  });
}

function saySigning() {
  if (!crypto.subtle) signing.textContent = 'Signing needs this page over HTTPS or from localhost.';
  else if (keys.elements.secret.value === '')
    signing.textContent = 'With a secret key, uploads of sessions are signed.';
  else signing.textContent = 'Uploads of sessions are signed. The secret stays in this page.';
}
keys.addEventListener('input', saySigning);
keys.addEventListener('submit', (event) => event.preventDefault());
saySigning();
