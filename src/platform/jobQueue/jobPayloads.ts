// The payload of each job, by the name of its task. Code that adds a job and the list of tasks share these types.

/** Stored as JSON. */
export interface JobPayloads {
  /** Looks up the transactions of an application that are due in front: those of proven devices. */
  resolveTransactions: { applicationId: string };
  /** The same behind these. */
  resolveTransactionsBehind: { applicationId: string };
  /** Of an earlier version, which added a job for each transaction: the transaction enters the line. */
  resolveStoreTransaction: {
    applicationId: string;
    transactionId: string;
    attempt?: number;
    ended?: boolean;
  };
  retryPendingTransactions: {
    applicationId: string;
    /** The page begins after this id. */
    after: string;
    /** True for all PENDING transactions, which a pause has delayed; absent for those whose look-up is to be repeated. */
    putOff?: boolean;
  };
  /** Fills free places with transactions that wait for one. */
  queueWaitingTransactions: { applicationId: string };
  /** Reads the store's history of notifications. */
  readNotifications: {
    applicationId: string;
    environment: 'PRODUCTION' | 'SANDBOX';
    /** Failed attempts so far; absent means none. */
    attempt?: number;
    /** The job has waited for a call to the store. */
    queued?: boolean;
  };
  deliverWebhooks: { webhookId: string };
  removeApplication: { applicationId: string };
  sendPasswordMail: {
    /** Identifies the mail and its token. The token itself is in no job. */
    mailId: string;
    purpose: 'reset' | 'invitation';
    /** The address as entered, in lower case. Perhaps no user has it when the job runs. */
    email: string;
    /** Of an invitation; absent in a job of an earlier version. */
    membershipId?: string;
    /** The account was a member until somebody proved the mailbox. */
    takenBack?: boolean;
    /** Failed attempts so far; absent means none. */
    attempt?: number;
  };
  sendEmailMail: {
    /** Identifies the mail and its token. The token itself is in no job. */
    mailId: string;
    /** `notice` tells the account's present address of a change. */
    purpose: 'confirmation' | 'change' | 'notice';
    /** The address that the mail goes to. */
    email: string;
    /** In a notice: the address that the account is to have. */
    newEmail?: string;
    /** Failed attempts so far; absent means none. */
    attempt?: number;
  };
}
