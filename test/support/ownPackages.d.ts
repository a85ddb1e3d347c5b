export function installPackages(name: string): Promise<string>;
