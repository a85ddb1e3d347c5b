// Sends mail through an SMTP server, or writes files for a developer when there is none.
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { withTimeout } from './outboundCalls.ts';

export interface Mail {
  /** Identifies the mail permanently: a retry has the same Message-ID. It is also the name of the file. */
  id: string;
  to: string;
  subject: string;
  text: string;
  date: Date;
}

/** Resolves when the server accepts the mail. Rejects with `MailRefused` when it never will. After any other error a retry may succeed. */
export type SendMail = (mail: Mail, signal: AbortSignal) => Promise<void>;

/** The mail server refuses this mail for this recipient permanently. */
export class MailRefused extends Error {
  readonly command: string | undefined;
  readonly responseCode: number | undefined;

  constructor(cause: SmtpError) {
    super('the mail server refused the mail', { cause });
    this.command = cause.command;
    this.responseCode = cause.responseCode;
  }
}

export interface SmtpTimeLimits {
  /** Timeout of the DNS look-up, all attempts to connect and the server's greeting together. */
  connectMillis: number;
  /** Timeout of each silence of the server. */
  silenceMillis: number;
  /** Timeout of the whole mail. */
  mailMillis: number;
}

/** The library's own timeouts are two and ten minutes. A waiting job delays other jobs, so a retry is better. */
const defaultSmtpTimeLimits: SmtpTimeLimits = {
  connectMillis: 10_000,
  silenceMillis: 20_000,
  mailMillis: 60_000,
};

interface SmtpError {
  code?: string;
  command?: string;
  responseCode?: number;
  permanent?: boolean;
}

export interface SmtpServer {
  /** `smtp://user:password@host:port` or `smtps://`. The query may hold options of the library. */
  url: string;
  from: string;
  timeLimits?: SmtpTimeLimits | undefined;
}

export function createSmtpMailer({ url, from, timeLimits = defaultSmtpTimeLimits }: SmtpServer): SendMail {
  const { connectMillis, silenceMillis, mailMillis } = timeLimits;
  const transport = createTransport({
    url,
    connectionTimeout: connectMillis,
    socketTimeout: silenceMillis,
  });
  return async (mail, stop) => {
    try {
      await withTimeout(stop, mailMillis, (signal) => transport.sendMail({ ...messageOf(mail, from), signal }));
    } catch (error) {
      throw isRefusal(error as SmtpError) ? new MailRefused(error as SmtpError) : error;
    }
  };
}

/**
 * Whether the error concerns the recipient or the content. The operator can repair a refused login or sender, and the
 * mail is then sent.
 */
function isRefusal({ code, command, permanent }: SmtpError): boolean {
  if (permanent) return command === 'RCPT TO' || command === 'DATA';
  // The library found before sending that the server's protocol cannot express this address.
  return code === 'EENVELOPE' && command === 'API';
}

/** Writes the mail and its text as two files. The text does not break links. A mail with the same id replaces the files. */
export function createFileMailer({ folder, from }: { folder: string; from: string }): SendMail {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  return async (mail, signal) => {
    const { message } = await transport.sendMail({ ...messageOf(mail, from), signal });
    const file = path.join(folder, mail.id);
    // Only the owner may read them: a reader of such a file can set a user's password.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(`${file}.part`, message as Buffer, { mode: 0o600 });
    await writeFile(`${file}.txt`, mail.text, { mode: 0o600 });
    await rename(`${file}.part`, `${file}.eml`);
  };
}

function messageOf({ id, to, subject, text, date }: Mail, from: string): SendMailOptions {
  const domain = /@([^\s>]+)/.exec(from)?.[1] ?? 'localhost';
  return {
    from,
    to: { name: '', address: to },
    subject,
    text,
    date,
    messageId: `<${id}@${domain}>`,
    // Prevents automatic replies (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
