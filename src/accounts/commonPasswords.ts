// The most common passwords of 8 characters and more, written for this service: single ones, and words with their usual endings.

const single = `
12345678 123456789 1234567890 12345678910 123456789a 123456789q 1234567891 0123456789 01234567 012345678 00000000
000000000 0000000000 11111111 111111111 1111111111 22222222 33333333 44444444 55555555 66666666 77777777 88888888
888888888 99999999 999999999 87654321 987654321 0987654321 9876543210 123123123 123321123 12341234 12344321 11223344
1122334455 112233445566 11112222 12121212 13131313 10101010 20202020 21212121 31313131 69696969 77778888 88889999
123454321 1234554321 123456654321 147258369 147852369 159357456 159753456 741852963 789456123 789456321 963852741
456789123 321654987 147896325 258456789 123698745 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc 1qazxsw2
qazwsxedc qazwsx123 qazwsxedcrfv 2wsx3edc zaq12wsx zaq1zaq1 zaq1xsw2 q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6 qwertyui
qwertyuiop qwertyuiop123 qwerty12 qwerty123 qwerty1234 qwerty12345 qwerty123456 qwertyu1 qwertz123 qwertzuiop
azerty123 azertyuiop asdfghjk asdfghjkl asdfghjkl1 asdfasdf asdf1234 asdfjkl; asdfqwer qwerasdf qweasdzxc qweqweqwe
qwe123qwe qweasd123 123qweasd 123qwe123 qwe12345 1234qwer 12345qwert 123456qwerty poiuytrewq lkjhgfdsa mnbvcxz1
zxcvbnm1 zxcvbnm123 zxcvbnm, zxcvzxcv zxcv1234 1234zxcv zxcasdqwe aaaaaaaa aaaaaaaaaa abababab abcabcabc abcd1234
abcd12345 abcdefgh abcdefghi abcdefghij abcdefg1 abcdef12 abcdef123 abcdef123456 abc12345 abc123456 abc123abc
abc123456789 a1b2c3d4 a1b2c3d4e5 a1234567 a12345678 a123456789 aa123456 aa12345678 aaa12345 as123456 az123456
q1234567 q123456789 qq123456 qw123456 w1234567 z1234567 zz123456 1234abcd 12345abc 123456ab 123456aa 123456abc
1234567a 12345678a 1a2b3c4d 1234asdf xxxxxxxx zzzzzzzz !@#$%^&* !@#$%^&*( 1qaz!qaz 1qaz@wsx !qaz2wsx !qaz1qaz p@ssw0rd
p@ssword p@55w0rd pa$$w0rd pa$$word passw0rd passw0rd1 passw0rd! pass1234 pass12345 pass123456 password passwords
password123456789 passwort passwort1 motdepasse contraseña contrasena wachtwoord parool123 lozinka123 senha123
senha1234 mypassword mypassword1 yourpassword newpassword newpassword1 oldpassword thepassword nopassword
password1234567 passpass passpass1 passphrase changeme changeme1 changeme123 changeit changethis temppass temporary
temporary1 temp1234 default1 defaultpassword letmein1 letmein12 letmein123 letmeinnow openopen openup12 opensesame
trustno1 trustnoone whatever whatever1 whatever123 iloveyou iloveyou1 iloveyou2 iloveyou12 iloveyou123 iloveyou!
iloveu123 iloveme1 ilovegod ilovejesus ilovemom1 ilovehim1 iloveher1 loveyou1 loveyou2 lovelove loveme123 loverboy
lovergirl babygirl babygirl1 babygirl12 babyboy1 princess princess1 princess12 princess123 sunshine sunshine1
sunshine123 football football1 football12 baseball baseball1 baseball12 basketball basketball1 softball softball1
volleyball hockey12 soccer12 soccer10 soccer123 superman superman1 superman123 spiderman spiderman1 batman12 batman123
ironman1 starwars starwars1 startrek pokemon1 pokemon123 pikachu1 minecraft minecraft1 fortnite nintendo playstation
playstation2 gamecube blink182 metallica metallica1 slipknot slipknot1 eminem12 michael1 jordan23 michaeljordan
chelsea1 arsenal1 liverpool liverpool1 barcelona barcelona1 realmadrid juventus manchester manunited rangers1
celtic1888 corvette corvette1 mercedes mercedes1 porsche911 porsche1 ferrari1 mustang1 mustang12 yamaha12 harley12
computer computer1 computer123 internet internet1 security security1 secret12 secret123 topsecret access14 access123
administrator administrator1 admin123 admin1234 admin12345 admin123456 adminadmin admin@123 admin!23 rootroot root1234
toor1234 useruser user1234 guest123 guestguest test1234 test12345 test123456 testtest testing1 testing123 tester12
demo1234 demodemo example1 sample12 welcome1 welcome12 welcome123 welcome1234 welcome! welcome@123 welcometo hello123
hello1234 hello12345 hellohello helloworld hello123456 goodbye1 master12 master123 monkey12 monkey123 monkeys1
dragon12 dragon123 dragons1 dragonball shadow12 shadow123 killer12 killer123 blackcat blacklabel whitecat bluebird
bluesky1 redsox04 yankees1 cowboys1 steelers steelers1 eagles12 packers1 patriots lakers24 lakers08 chicago1 newyork1
california california1 texas123 florida1 london12 london123 paris123 berlin12 berlin123 moscow12 tokyo123 america1
australia canada12 germany1 england1 scotland ireland1 brazil12 mexico12 india123 pakistan pakistan1 bangladesh
butterfly butterfly1 elephant elephant1 dolphin1 dolphins kittycat kitty123 puppy123 doggy123 doglover catlover
chocolate chocolate1 cookie12 cookie123 cupcake1 cheese12 cheese123 banana12 banana123 orange12 pineapple strawberry
strawberry1 blueberry coffee12 pepper12 peanut12 pumpkin1 sweetie1 sweetpea sweety12 honey123 angel123 angels12
heaven12 jesus123 jesuschrist jesus777 godisgood godisgreat blessed1 faith123 freedom1 freedom123 liberty1 peace123
happy123 happyday smile123 summer12 summer123 winter12 winter123 spring12 autumn12 monday12 friday13 sunday12 january1
december december1 november november1 october1 september september1 forever1 forever21 together nothing1 something
anything everything lifeisgood carpediem qwerty!@ midnight midnight1 sunflower rainbow1 rainbow123 lollipop unicorn1
diamond1 diamonds silver12 golden12 money123 moneyman dollar12 million1 business business1 company1 company123
office12 office123 manager1 service1 support1 student1 student123 teacher1 school12 college1 university family12
family123 mother12 father12 brother1 sister12 daddy123 mommy123 mamapapa grandma1 jennifer jennifer1 jessica1 michelle
michelle1 samantha samantha1 elizabeth elizabeth1 stephanie stephanie1 victoria victoria1 alexander alexander1
alexandra christian christian1 christopher benjamin benjamin1 jonathan jonathan1 nicholas nicholas1 patrick1 william1
charlie1 charlie123 charlotte danielle danielle1 caroline gabriel1 isabella isabella1 katherine margaret veronica
valentina valentin francesco francisco fernando alejandro alejandra sebastian sebastian1 leonardo angelina carolina
jackson1 johnson1 anderson williams robinson marlboro jackdaniels budweiser heineken guinness1 marijuana
`;

const words = `
password passwort qwerty azerty welcome admin administrator login secret master letmein hello monkey dragon shadow
summer winter spring autumn monday tuesday wednesday thursday friday saturday sunday january february march april june
july august september october november december sunshine princess football baseball soccer hockey superman batman
charlie michael jordan daniel thomas robert andrew anthony joshua matthew jessica jennifer ashley amanda nicole michelle
hannah samsung google facebook apple microsoft windows android iphone twitter linkedin amazon company business office
server system database backend service account user test testing demo guest root temp default changeme access security
internet computer laptop love iloveyou lovely angel baby family freedom forever flower butterfly cookie chocolate banana
orange purple yellow silver golden ginger pepper tigger tiger lion eagle falcon wolf hunter ranger killer london paris
berlin madrid america canada germany france england chelsea arsenal liverpool barcelona dashboard campaign analytics
`;

const endings = [
  ...['1', '12', '123', '1234', '12345', '123456', '1!', '12!', '123!', '1234!', '!', '!!', '!1', '!23', '@1', '@12'],
  ...['@123', '@1234', '#1', '#123', '_123', '-123', '.123', '0', '00', '01', '007', '11', '111', '22', '69', '77'],
  ...['99', '100', '321', '666', '777', '999'],
  ...Array.from({ length: 48 }, (_, index) => String(1983 + index)),
  ...Array.from({ length: 16 }, (_, index) => `${2015 + index}!`),
];

const common: ReadonlySet<string> = new Set([...entriesOf(single), ...entriesOf(words).flatMap(variants)]);

/** Upper and lower case are the same here: `Password1` is as common as `password1`. */
export function isCommonPassword(password: string): boolean {
  return common.has(password.toLowerCase());
}

function variants(word: string): string[] {
  return [word, word + word, ...endings.map((ending) => word + ending)];
}

function entriesOf(text: string): string[] {
  return text.trim().split(/\s+/);
}
