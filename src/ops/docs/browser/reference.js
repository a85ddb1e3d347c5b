// In the browser: opens the reference, sends its requests to this listener, and signs uploads with the typed secret.
/* global SwaggerUIBundle */
const form = document.getElementById('keys');
const signing = document.getElementById('signing');
const sessionPath = '/docs/try/api/v1/session';

/** The document names the installation's base URL. On this listener the APIs are below /docs/try. */
const servers = [{ url: '/docs/try', description: 'This process, through its private listener' }];
const signatureNames = ['X-Timestamp', 'X-Nonce', 'X-Signature'];

/** Removes the signature's examples, which belong to another body: the tool would fill them in and send them. */
function fitDocument(document) {
  const parameters = Object.entries(document.components.parameters).map(([id, { example, ...parameter }]) => [
    id,
    signatureNames.includes(parameter.name) ? parameter : { ...parameter, example },
  ]);
  return { ...document, servers, components: { ...document.components, parameters: Object.fromEntries(parameters) } };
}

const servedHere = () => ({
  statePlugins: {
    spec: { wrapActions: { updateJsonSpec: (update) => (document) => update(fitDocument(document)) } },
  },
});

/** Folds the document's long introduction, so that the operations come first. */
const foldedGuide = () => ({
  wrapComponents: {
    InfoContainer:
      (Original, { React }) =>
      (properties) =>
        React.createElement(
          'details',
          { className: 'guide' },
          React.createElement('summary', null, 'Guide: signatures, order of checks, errors, retries, clock, limits'),
          React.createElement(Original, properties),
        ),
  },
});

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

async function sign(request) {
  const secret = form.elements.secret.value;
  const upload = request.method === 'POST' && new URL(request.url, location.href).pathname === sessionPath;
  if (!upload || secret === '' || !crypto.subtle) return request;
  const publicKey = request.headers['X-Api-Key'] ?? '';
  Object.assign(request.headers, await signatureHeaders({ publicKey, secret, body: request.body ?? '' }));
  return request;
}

const reference = SwaggerUIBundle({
  url: '/openapi.yaml',
  dom_id: '#reference',
  deepLinking: true,
  validatorUrl: null,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  plugins: [servedHere, foldedGuide],
  requestInterceptor: sign,
  onComplete: useKeys,
});

function useKeys() {
  const publicKey = form.elements.public.value;
  // Without an earlier key there is nothing to remove, and removing it throws.
  if (publicKey !== '') reference.preauthorizeApiKey('ApiKey', publicKey);
  else if (reference.authSelectors.authorized()?.has('ApiKey')) reference.authActions.logout(['ApiKey']);
  const secret = form.elements.secret.value;
  if (!crypto.subtle) signing.textContent = 'Signing needs this page over HTTPS or from localhost.';
  else if (secret === '') signing.textContent = 'With a secret key, session uploads from this page are signed.';
  else signing.textContent = 'Session uploads from this page are signed. The secret stays in this page.';
}

form.addEventListener('change', useKeys);
form.addEventListener('submit', (event) => event.preventDefault());
