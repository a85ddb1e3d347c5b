// A real SMTP server on loopback that keeps its mails, and can refuse, stop responding, stop and start again.
import type { AddressInfo } from 'node:net';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerAuthentication, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  /** The envelope's sender. */
  from: string;
  to: string[];
  raw: string;
}

export interface MailServer {
  url: string;
  port: number;
  mails: ReceivedMail[];
  stop: () => Promise<void>;
}

export interface MailServerSettings {
  port?: number;
  /** The code of the reply to each recipient; absent, the server accepts them. */
  refuseRecipients?: number;
  /** Called once a mail is read and kept: with false, the client receives no reply. */
  replies?: (count: number) => boolean;
  credentials?: { user: string; pass: string };
  /** Offers TLS with a certificate that no client should trust. */
  offersTls?: boolean;
}

export async function startMailServer(settings: MailServerSettings = {}): Promise<MailServer> {
  const { port = 0, credentials } = settings;
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: !credentials,
    disabledCommands: [...(settings.offersTls ? [] : ['STARTTLS']), ...(credentials ? [] : ['AUTH'])],
    allowInsecureAuth: true,
    logger: false,
    closeTimeout: 100,
    onAuth(auth: SMTPServerAuthentication, _session, callback) {
      const known = auth.username === credentials?.user && auth.password === credentials?.pass;
      callback(known ? null : new Error('unknown user'), known ? { user: auth.username! } : undefined);
    },
    onRcptTo(_address, _session, callback) {
      const { refuseRecipients: responseCode } = settings;
      callback(responseCode ? Object.assign(new Error('not here'), { responseCode }) : null);
    },
    onData: keepIn(mails, settings.replies ?? (() => true)),
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const taken = (server.server.address() as AddressInfo).port;
  const login = credentials ? `${credentials.user}:${encodeURIComponent(credentials.pass)}@` : '';
  return {
    url: `smtp://${login}127.0.0.1:${taken}`,
    port: taken,
    mails,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function keepIn(mails: ReceivedMail[], replies: (count: number) => boolean): SMTPServerOptions['onData'] {
  return (stream, { envelope }, callback) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const from = envelope.mailFrom ? envelope.mailFrom.address : '';
      mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), raw: Buffer.concat(chunks).toString() });
      if (replies(mails.length)) callback();
    });
  };
}

export interface ReadMail {
  headers: Record<string, string>;
  subject: string;
  text: string;
  /** The only link in the mail; `about:blank` in a notice, which has none. */
  link: URL;
  token: string;
}

/** Parses a mail as a mail program does. */
export async function readMail(raw: string): Promise<ReadMail> {
  const { headers, subject, text } = await PostalMime.parse(raw);
  const links = text!.match(/https?:\/\/\S+/g) ?? [];
  if (links.length > 1) throw new Error(`one link at most was expected: ${text}`);
  const link = new URL(links[0] ?? 'about:blank');
  return {
    headers: Object.fromEntries(headers.map(({ key, value }) => [key, value])),
    subject: subject!,
    text: text!,
    link,
    token: link.searchParams.get('token')!,
  };
}
