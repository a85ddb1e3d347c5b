// The test environment: tests run in Node's own realm, so that a package is loaded once per worker process and not once per test file.
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';
import { globalsOfPackages, loadPackage } from './nodePackages.js';

/**
 * Jest requires a context of every environment. This object represents Node's own context, which node:vm uses when the
 * context is absent.
 */
const ownRealm = {};
const inOwnRealm = (options) => {
  if (options?.context === ownRealm) return { ...options, context: undefined };
  if (options?.parsingContext === ownRealm) return { ...options, parsingContext: undefined };
  return options;
};

const { SourceTextModule, SyntheticModule, compileFunction } = vm;
if (!SourceTextModule)
  throw new Error('Run the tests by `npm run jest -- …`: they need node --experimental-vm-modules.');
vm.SourceTextModule = class extends SourceTextModule {
  constructor(code, options) {
    super(code, inOwnRealm(options));
  }
};
vm.SyntheticModule = class extends SyntheticModule {
  constructor(names, evaluate, options) {
    super(names, evaluate, inOwnRealm(options));
  }
};
vm.compileFunction = (code, parameters, options) => compileFunction(code, parameters, inOwnRealm(options));

export default class OneRealm extends TestEnvironment {
  global = Object.assign(globalThis, { loadPackage });
  #globals = new Set(Reflect.ownKeys(globalThis));
  #process = { exit: process.exit, getBuiltinModule: process.getBuiltinModule };
  #variables = { ...process.env };

  constructor(config, context) {
    super(config, context);
    // Jest's own fake timers would stop the clock of a context in which no test runs.
    this.fakeTimersModern = new this.fakeTimersModern.constructor({ config: config.projectConfig, global: globalThis });
  }

  getVmContext() {
    return this.context && ownRealm;
  }

  /** Leaves no global, handler or variable of this file to the next file of this worker process. */
  async teardown() {
    await super.teardown();
    for (const key of Reflect.ownKeys(globalThis))
      if (!this.#globals.has(key) && !globalsOfPackages.has(key)) Reflect.deleteProperty(globalThis, key);
    Object.assign(process, this.#process);
    for (const name of Object.keys(process.env)) if (!(name in this.#variables)) delete process.env[name];
    Object.assign(process.env, this.#variables);
  }
}
