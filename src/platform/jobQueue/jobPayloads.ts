// What each job carries, by the name of its task: whoever adds a job and the list of tasks are both held to it.

/** Stored as JSON, and read back as it is. */
export interface JobPayloads {
  resolveStoreTransaction: {
    applicationId: string;
    transactionId: string;
    /** Failed attempts so far; absent: none. */
    attempt?: number;
    /** It waited for its turn to call the store, and is served before newcomers. */
    queued?: boolean;
  };
  retryPendingTransactions: {
    applicationId: string;
    /** Goes on after this id. */
    after: string;
    /** All that is PENDING, because a pause has put it off; absent: what waits for credentials. */
    putOff?: boolean;
  };
  removeApplication: { applicationId: string };
  sendPasswordMail: {
    /** Names the mail, and with it its token, which is in no job. */
    mailId: string;
    purpose: 'reset' | 'invitation';
    /** As somebody wrote it, in lower case: whoever has this address when the job runs; perhaps nobody. */
    email: string;
    /** Failed attempts so far; absent: none. */
    attempt?: number;
  };
}
