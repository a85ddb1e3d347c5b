// Sends mail: through an SMTP server, or where there is none as files that a developer can open.
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { withinTime } from './withinTime.ts';

export interface Mail {
  /** Names the mail for ever: sent again, it has the same Message-ID. A file is called by it. */
  id: string;
  to: string;
  subject: string;
  text: string;
  date: Date;
}

/** Resolves when the mail is taken. Rejects with `MailRefused` when it never will be, otherwise it may be sent again. */
export type SendMail = (mail: Mail, signal: AbortSignal) => Promise<void>;

/** The mail server has said for good that it will not take this mail for this recipient. */
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
  /** For the look-up of the name, all attempts to connect and the server's greeting together. */
  connectMillis: number;
  /** For each time that the server says nothing. */
  silenceMillis: number;
  /** For the whole mail, however slowly it goes on. */
  mailMillis: number;
}

/** The library's own are two and ten minutes. A job that waits keeps others waiting, so it rather comes again. */
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
  /** `smtp://user:password@host:port`, or `smtps://`; the library's options may follow as a query. */
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
      await withinTime(stop, mailMillis, (signal) => transport.sendMail({ ...messageOf(mail, from), signal }));
    } catch (error) {
      throw isRefusal(error as SmtpError) ? new MailRefused(error as SmtpError) : error;
    }
  };
}

/** About the recipient or the content; refused logins and senders are for the operator to repair, and then it goes out. */
function isRefusal({ code, command, permanent }: SmtpError): boolean {
  if (permanent) return command === 'RCPT TO' || command === 'DATA';
  // Said by the library before anything is sent: an address that this server cannot express.
  return code === 'EENVELOPE' && command === 'API';
}

/** With its text beside it, in which no line of a link is broken. A mail of the same id replaces the files. */
export function createFileMailer({ folder, from }: { folder: string; from: string }): SendMail {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  return async (mail, signal) => {
    const { message } = await transport.sendMail({ ...messageOf(mail, from), signal });
    const file = path.join(folder, mail.id);
    // Whoever reads one of these can set somebody's password.
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
    // So that nobody's absence note answers it (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
